import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct BodyTests {
    private static let portions = AsyncStream<Data> { $0.finish() }

    @Test(
        arguments: [
            (Body.none, true, 0), (.data(Data(count: 3)), true, 3), (.data(Data()), true, 0),
            (.string("Grüße"), true, 7), (.file(URL(fileURLWithPath: "/nowhere")), true, nil),
            (.stream(portions), false, nil), (.stream(portions, length: 9), false, 9),
            (.stream(making: { portions }), true, nil), (.stream(length: 9, making: { portions }), true, 9),
        ] as [(Body, Bool, Int?)])
    func bodiesHaveTheirLengthAndReplayability(_ body: Body, replayable: Bool, length: Int?) {
        #expect(body.isReplayable == replayable)
        #expect(body.knownLength == length)
    }

    @Test(
        arguments: [
            (Body.none, nil), (.data(Data()), nil), (.data(Data(), contentType: "a/b"), "a/b"),
            (.string(""), "text/plain; charset=utf-8"), (.string("", contentType: nil), nil),
            (.file(URL(fileURLWithPath: "/nowhere"), contentType: "image/png"), "image/png"), (.stream(portions), nil),
            (.stream(portions, contentType: "a/b"), "a/b"), (.stream(contentType: "a/b", making: { portions }), "a/b"),
        ] as [(Body, String?)])
    func onlyTextHasADefaultContentType(_ body: Body, type: String?) {
        #expect(body.contentType == type)
    }

    @Test func aStreamIsReadInPortions() async throws {
        let body = Body.stream(
            AsyncStream { continuation in
                for text in ["a", "b"] { continuation.yield(Data(text.utf8)) }
                continuation.finish()
            })
        guard case .stream(let stream) = body.content else {
            Issue.record("the body is not a stream")
            return
        }
        let read = try stream.makeReader()
        #expect(try await read() == Data("a".utf8))
        #expect(try await read() == Data("b".utf8))
        #expect(try await read() == nil)
    }

    @Test func givenStreamIsReadOnce() throws {
        guard case .stream(let stream) = Body.stream(Self.portions).content else {
            Issue.record("the body is not a stream")
            return
        }
        _ = try stream.makeReader()
        let error = #expect(throws: RequestError.self) { _ = try stream.makeReader() }
        #expect(error?.code == .bodyNotReplayable)
    }

    @Test func createdStreamRestartsForEachReader() async throws {
        let body = Body.stream {
            AsyncStream { continuation in
                continuation.yield(Data("a".utf8))
                continuation.finish()
            }
        }
        guard case .stream(let stream) = body.content else {
            Issue.record("the body is not a stream")
            return
        }
        for _ in 0..<3 {
            let read = try stream.makeReader()
            #expect(try await read() == Data("a".utf8))
            #expect(try await read() == nil)
        }
    }

    /// The reader returns the last portion once the stream has ended, so that no server takes a wrong body for a complete one.
    @Test(
        arguments: [
            (nil, [1, 2], [1, 2], nil), (3, [1, 2], [1, 2], nil), (0, [], [], nil), (0, [0, 0], [0], nil),
            (2, [1, 0, 1, 0], [1, 0, 1], nil), (3, [3], [3], nil),
            (2, [1, 2], [1], "more bytes than its length of 2"), (4, [1, 2], [1, 2], "ended after 3 of 4 bytes"),
            (3, [1, 2, 0, 1], [1], "more bytes than its length of 3"), (0, [1], [], "more bytes than its length of 0"),
            (1, [], [], "ended after 0 of 1 bytes"), (1, [2], [], "more bytes than its length of 1"),
        ] as [(Int?, [Int], [Int], String?)])
    func streamMustHaveItsLength(_ length: Int?, _ portions: [Int], _ read: [Int], _ problem: String?) async throws {
        let sequence = AsyncStream { continuation in
            for count in portions { continuation.yield(Data(count: count)) }
            continuation.finish()
        }
        guard case .stream(let stream) = Body.stream(sequence, length: length).content else {
            Issue.record("the body is not a stream")
            return
        }
        let next = try stream.makeReader()
        var counts: [Int] = []
        var error: RequestError?
        do {
            while let portion = try await next() { counts.append(portion.count) }
            #expect(try await next() == nil)
        } catch let failure as RequestError {
            error = failure
        }
        #expect(counts == read)
        #expect(error?.code == (problem == nil ? nil : .badBody))
        #expect(error?.detail.contains(problem ?? "") != false)
    }

    @Test func errorOfTheStreamFactoryIsThrown() {
        struct Missing: Error {}
        let body = Body.stream { () throws -> AsyncStream<Data> in throw Missing() }
        guard case .stream(let stream) = body.content else {
            Issue.record("the body is not a stream")
            return
        }
        #expect(throws: Missing.self) { _ = try stream.makeReader() }
    }
}
