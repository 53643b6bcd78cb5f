import Foundation
import Synchronization
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct BodyStreamTests {
    @Test func portionsArriveInOrder() async throws {
        let source = ScriptedBody(["ab", "c", "def"])
        var portions: [String] = []
        for try await portion in BodyStream(source) { portions.append(String(decoding: portion, as: UTF8.self)) }
        #expect(portions == ["ab", "c", "def"])
        #expect(source.ending != nil)
    }

    @Test func unreadPortionsAreNotFetched() async throws {
        let source = ScriptedBody(["a", "b", "c"])
        let stream = BodyStream(source)
        #expect(source.fetched == 0)
        var iterator = stream.makeAsyncIterator()
        _ = try await iterator.next()
        #expect(source.fetched == 1)
        _ = try await iterator.next()
        #expect(source.fetched == 2)
    }

    @Test func leavingTheLoopEarlyCancelsTheBody() async throws {
        let source = ScriptedBody(["a", "b", "c"])
        let stream = BodyStream(source)
        for try await _ in stream { break }
        #expect(source.fetched == 1)
        #expect(source.isCancelled)
        #expect(stream.ending == nil)
    }

    @Test func errorInTheLoopCancelsTheBody() async {
        struct Refused: Error {}
        let source = ScriptedBody(["a", "b"])
        let stream = BodyStream(source)
        await #expect(throws: Refused.self) {
            for try await _ in stream { throw Refused() }
        }
        #expect(source.isCancelled)
    }

    @Test func waitingReaderDoesNotCancelTheBody() async throws {
        let source = ScriptedBody(["a", "b"])
        let stream = BodyStream(source)
        var iterator = stream.makeAsyncIterator()
        _ = try await iterator.next()
        #expect(!source.isCancelled)
        withExtendedLifetime(stream) {}
        _ = try await iterator.next()
        #expect(!source.isCancelled)
    }

    @Test func retainedStreamDoesNotCancelTheBody() {
        let source = ScriptedBody(["a"])
        let stream = BodyStream(source)
        _ = stream.ending
        #expect(!source.isCancelled)
    }

    @Test func releasedStreamReleasesItsSource() {
        weak let source: ScriptedBody?
        do {
            let made = ScriptedBody(["a"])
            source = made
            _ = BodyStream(made)
        }
        #expect(source == nil)
    }

    @Test func cancellingTheStreamCancelsTheBody() {
        let source = ScriptedBody(["a"])
        let stream = BodyStream(source)
        stream.cancel()
        stream.cancel()
        #expect(source.isCancelled)
    }

    @Test func errorFollowsThePortionsBeforeIt() async {
        struct Lost: Error {}
        let source = ScriptedBody(["a", "b"], error: Lost())
        var count = 0
        await #expect(throws: Lost.self) {
            for try await _ in BodyStream(source) { count += 1 }
        }
        #expect(count == 2)
    }

    @Test func completeBodyIsOnePortion() async throws {
        let stream = BodyStream(Data("abc".utf8))
        #expect(stream.ending == nil)
        var portions: [Data] = []
        for try await portion in stream { portions.append(portion) }
        #expect(portions == [Data("abc".utf8)])
        #expect(stream.ending != nil)
    }

    @Test func anEmptyBodyHasNoPortions() async throws {
        let stream = BodyStream(Data())
        for try await _ in stream { Issue.record("an empty body has no portions") }
        #expect(stream.ending != nil)
    }

    @Test func cancelledStreamOfACompleteBodyThrows() async {
        let stream = BodyStream(Data("abc".utf8))
        stream.cancel()
        #expect(stream.ending == nil)
        await #expect(throws: CancellationError.self) {
            for try await _ in stream { Issue.record("the stream was cancelled") }
        }
    }
}
