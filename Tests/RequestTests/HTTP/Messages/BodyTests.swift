import Foundation
import TangoRequest
import Testing

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
