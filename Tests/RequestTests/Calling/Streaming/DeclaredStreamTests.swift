import Foundation
import LoopbackServer
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Requests whose output is a sequence, delivered while the body arrives.
@Suite(.timeLimit(.minutes(20)))
struct DeclaredStreamTests {
    struct Row: Codable, Hashable, Sendable {
        let id: Int
    }

    struct Reason: Codable, Hashable, Sendable {
        let reason: String
    }

    private let site: Site
    private let facts = Facts()
    private let gate = Gate()

    init() throws {
        site = try Site()
    }

    /// A text whose second line waits for the gate, on a connection that stays open.
    private func held(_ texts: [String], ends: Bool = true) -> Response {
        .stream { [gate] writer in
            for (number, text) in texts.enumerated() {
                if number == 1 { try await gate.opened() }
                try await writer.write(text)
            }
            while !ends { try await Task.sleep(for: .seconds(86_400)) }
        }
    }

    private func ended(_ count: Int = 1) async throws {
        for request in try await site.server.requests(count: count) {
            _ = try await site.server.connectionEnded(request.connection)
        }
    }

    // MARK: Outputs

    @Test func linesArriveOneByOne() async throws {
        site.server.answer("/", with: held(["one\ntw", "o\r\n\nlast"]))
        let lines = try await Fetch(.get("/"), of: site.client(), as: Lines.self).promise.value
        #expect(lines.response.status == 200)
        var seen: [String] = []
        for try await line in lines {
            if seen.isEmpty { gate.open() }
            seen.append(line)
        }
        #expect(seen == ["one", "two", "", "last"])
    }

    @Test func bytesArriveInPortions() async throws {
        site.server.answer("/", with: held(["one", "two"]))
        var seen = Data()
        for try await portion in try await Fetch(.get("/"), of: site.client(), as: ByteStream.self).promise.value {
            if seen == Data("one".utf8) || seen.isEmpty { gate.open() }
            seen += portion
        }
        #expect(seen == Data("onetwo".utf8))
    }

    @Test func valuesAreDecodedLineByLine() async throws {
        site.server.answer("/", with: .text("{\"id\": 1}\n\n  \r\n{\"id\": 2}\r\n{\"id\": 3}"))
        var seen: [Int] = []
        for try await row in try await Fetch(.get("/"), of: site.client(), as: NDJSON<Row>.self).promise.value {
            seen.append(row.id)
        }
        #expect(seen == [1, 2, 3])
    }

    @Test func wrongValueNamesItsLine() async throws {
        site.server.answer("/", with: held(["{\"id\": 1}\n\n{\"id\": \"secret\"}\n"], ends: false))
        let client = site.client()
        let rows = try await Fetch(.get("/"), of: client, as: NDJSON<Row>.self).promise.value
        let call = try #require(client.calls.first)
        var iterator = rows.makeAsyncIterator()
        #expect(try await iterator.next()?.id == 1)
        let error = await refusal { _ = try await iterator.next() }
        #expect(error?.code == .notDecodable)
        #expect(error?.detail == "no Row in line 3 of the body: expected Int at id, found a string")
        #expect(try await iterator.next() == nil)
        try await ended()
        #expect(call.state == .finished(.failure))
    }

    @Test func longLineIsAnError() async throws {
        site.server.answer("/", with: held(["ok\n123456"], ends: false))
        let lines = try await Fetch(.get("/"), of: site.client(), by: .lines(limit: 5)).promise.value
        var iterator = lines.makeAsyncIterator()
        #expect(try await iterator.next() == "ok")
        let error = await refusal { _ = try await iterator.next() }
        #expect(error?.code == .elementTooLarge)
        #expect(
            error?.detail == "line 2 of the body has more than 5 bytes: raise the limit of the stream, or check the URL"
        )
        try await ended()
    }

    @Test func serializerOfAnApplicationCanStream() async throws {
        site.server.answer("/", with: .text("a\nb"))
        let lines = try await Fetch(
            .get("/"), of: site.client(), by: .streaming { response, _ in Lines(response) }.map { $0 }
        )
        .promise.value
        #expect(try await lines.reduce(into: []) { $0.append($1) } == ["a", "b"])
    }

    @Test func sugarStreamsToo() async throws {
        site.server.answer("/", with: .text("{\"id\": 1}\n{\"id\": 2}"))
        let rows = try await site.client().get("/", as: NDJSON<Row>.self).value
        #expect(try await rows.reduce(into: []) { $0.append($1.id) } == [1, 2])
    }

    @Test func rawMessageCanBeReadAsLines() async throws {
        site.server.answer("/", with: .text("a\nb"))
        let response = try await site.client().send(HTTPRequest(.get, site.server), delivery: .stream)
        #expect(try await Lines(response).reduce(into: []) { $0.append($1) } == ["a", "b"])
    }

    @Test func completeResponseIsAStreamToo() async throws {
        struct Canned: Interceptor {
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                HTTPResponse(status: 200, body: Data("a\nb".utf8), request: request)
            }
        }
        let client = site.client(interceptors: [Canned()])
        let lines = try await Fetch(.get("/"), of: client, as: Lines.self).promise.value
        #expect(try await lines.reduce(into: []) { $0.append($1) } == ["a", "b"])
    }

    // MARK: Refused responses

    @Test func refusedStatusHasItsBody() async throws {
        site.server.answer("/", with: .json(#"{"reason": "closed"}"#, status: 409))
        let request = Fetch(.get("/"), of: site.client(errorSerializer: .json(Reason.self)), as: Lines.self)
        let error = try #require(await refusal(of: request.promise))
        #expect(error.code == .badStatus)
        #expect(error.payload(as: Reason.self) == Reason(reason: "closed"))
        #expect(error.response?.body == Data(#"{"reason": "closed"}"#.utf8))
    }

    @Test func longErrorBodyIsCut() async throws {
        site.server.answer("/", with: .generated(bytes: 10_000_000).status(500))
        let client = site.client()
        let error = try #require(await refusal(of: Fetch(.get("/"), of: client, as: Lines.self).promise))
        #expect(error.code == .badStatus)
        #expect(error.response?.body == generated(RefusedBody.limit))
        try await ended()
        #expect(client.calls.isEmpty)
    }

    @Test func refusedBodyThatTricklesIsCut() async throws {
        let clock = ManualClock()
        site.server.answer(
            "/",
            with: .stream { [gate] writer in
                try await writer.write("slow")
                gate.open()
                while true { try await Task.sleep(for: .seconds(86_400)) }
            }.status(409))
        let client = site.client(timeouts: Timeouts(connect: nil, idle: .seconds(600), total: nil), clock: clock)
        let call = Fetch(.get("/"), of: client, as: Lines.self).start()
        try await gate.opened()
        await clock.sleepers()
        clock.advance(by: .seconds(600))
        let error = await refusal { _ = try await call.value }
        #expect(error?.code == .badStatus)
        #expect(error.map { Data("slow".utf8).starts(with: $0.response?.body ?? Data([0])) } == true)
        try await ended()
        #expect(client.calls.isEmpty)
    }

    @Test func wrongContentTypeDoesNotWaitForTheBody() async throws {
        site.server.answer("/", with: held(["<html>"], ends: false).header("Content-Type", "text/html"))
        let request = Fetch(.get("/"), of: site.client(validation: .contentType("text/plain")), as: Lines.self)
        #expect(await refusal(of: request.promise)?.code == .badContentType)
        try await ended()
    }

    @Test func bodyOfARefusedSuccessIsReadIfShort() async throws {
        site.server.answer("/", with: .json(#"{"reason": "closed"}"#))
        let request = Fetch(
            .get("/"), of: site.client(errorSerializer: .json(Reason.self)),
            as: EventStream<Row>.self)
        let error = await refusal(of: request.promise)
        #expect(error?.code == .badContentType)
        #expect(error?.payload(as: Reason.self) == Reason(reason: "closed"))
    }

    @Test(
        arguments: [
            (200, nil, false), (200, 10, true), (200, 65_536, true), (200, 65_537, false), (404, nil, true),
            (500, 1 << 30, true),
            (302, nil, true),
        ] as [(Int, Int?, Bool)])
    func bodiesOfRefusedResponses(status: Int, length: Int?, isRead: Bool) {
        #expect(RefusedBody.isRead(HTTPStatus(status), length: length) == isRead)
    }

    @Test func serializerThatThrowsFailsTheCall() async throws {
        site.server.answer("/", with: held(["a"], ends: false))
        let client = site.client(observers: [facts.observer()])
        let request = Fetch(.get("/"), of: client, by: Serializer<Lines>.streaming { _, _ in throw NothingThrown() })
        let error = await refusal(of: request.promise)
        #expect(error?.code == .notDecodable)
        try await ended()
        await client.shutdown()
        #expect(facts.all.last == "finished failure")
    }

    // MARK: The end of the connection

    enum Leaving: CaseIterable, Sendable {
        case breaking, releasing, cancellingTheTask, cancellingThePromise, failing, cancellingTheCall, cancellingAll,
            shuttingDown
        case deadline
    }

    @Test(arguments: Leaving.allCases)
    func leavingClosesTheConnection(_ leaving: Leaving) async throws {
        site.server.answer("/", with: held(["one\n"], ends: false))
        let clock = ManualClock()
        let client = site.client(timeouts: Timeouts(connect: nil, idle: nil, total: .seconds(10)), clock: clock)
        let call = Fetch(.get("/"), of: client, as: Lines.self).start()
        do {
            let lines = try await call.promise.value
            #expect(client.activeCalls == 1)
            switch leaving {
            case .breaking: for try await _ in lines { break }
            case .releasing: break
            case .cancellingTheTask:
                let (began, resolver) = Promise<Void>.pending()
                let task = Task {
                    for try await _ in lines { resolver.fulfill(()) }
                }
                try await began.value
                task.cancel()
                _ = await task.result
            case .cancellingThePromise:
                let (began, resolver) = Promise<Void>.pending()
                let done = lines.forEach { _ in resolver.fulfill(()) }
                try await began.value
                done.cancel()
            case .failing:
                await #expect(throws: NothingThrown.self) {
                    try await lines.forEach { _ in throw NothingThrown() }.value
                }
            case .cancellingTheCall: call.cancel()
            case .cancellingAll: client.cancelAll()
            case .shuttingDown: await client.shutdown()
            case .deadline: clock.advance(by: .seconds(10))
            }
        } catch {
            Issue.record("\(error)")
        }
        if leaving == .releasing { return }
        try await ended()
        while !client.calls.isEmpty { await Task.yield() }
    }

    @Test func releasingAllHandlesClosesTheConnection() async throws {
        site.server.answer("/", with: held(["one\n"], ends: false))
        let client = site.client(observers: [facts.observer()])
        do {
            let request = Fetch(.get("/"), of: client, as: Lines.self)
            _ = try await request.promise.value
        }
        await facts.reached("finished cancelled")
        try await ended()
    }

    @Test func callThatIsNeverReadClosesTheConnection() async throws {
        site.server.answer("/", with: held(["one\n"], ends: false))
        let client = site.client(observers: [facts.observer()])
        Fetch(.get("/"), of: client, as: Lines.self).start()
        await facts.reached("finished cancelled")
        try await ended()
    }

    @Test func callHoldsItsOutputForLateConsumers() async throws {
        site.server.answer("/", with: held(["one\n"]))
        gate.open()
        let client = site.client(observers: [facts.observer()])
        let call = Fetch(.get("/"), of: client, as: Lines.self).start()
        await facts.reached { $0.contains { $0.hasPrefix("response") } }
        while call.response == nil { await Task.yield() }
        #expect(try await call.value.reduce(into: []) { $0.append($1) } == ["one"])
        #expect(call.state == .finished(.success))
    }

    @Test func callbackGetsTheStreamAndNoLaterError() async throws {
        site.server.answer(
            "/broken",
            with: .stream { writer in
                try await writer.write("one\n")
                throw NothingThrown()
            })
        let client = site.client()
        let facts = facts
        Fetch(.get("/broken"), of: client, as: Lines.self).start { lines in
            facts.note("success")
            lines.forEach { facts.note($0) }.catch { _ in facts.note("body failed") }
        } failure: { _ in
            facts.note("failure")
        }
        await facts.reached("body failed")
        await client.shutdown()
        #expect(facts.all == ["success", "one", "body failed"])
    }

    @Test func valuesDeliverTheStreamOnce() async throws {
        site.server.answer("/", with: .text("a\nb"))
        var seen: [String] = []
        for try await lines in Fetch(.get("/"), of: site.client(), as: Lines.self).values {
            for try await line in lines { seen.append(line) }
        }
        #expect(seen == ["a", "b"])
    }

    @Test func secondReaderFails() async throws {
        site.server.answer("/", with: .text("a\nb"))
        let lines = try await Fetch(.get("/"), of: site.client(), as: Lines.self).promise.value
        var first = lines.makeAsyncIterator()
        let error = await refusal { for try await _ in lines {} }
        #expect(error?.code == .bodyAlreadyRead)
        #expect(try await first.next() == "a")
    }

    // MARK: Callbacks for elements

    enum Place: CaseIterable, Sendable { case background, queue, main, task }

    @Test(arguments: Place.allCases)
    func elementsAreHandledInOrder(_ place: Place) async throws {
        site.server.answer("/", with: .text((0..<500).map(String.init).joined(separator: "\n")))
        let lines = try await Fetch(.get("/"), of: site.client(), as: Lines.self).promise.value
        let seen = Recorded<String>()
        let done: Promise<Void> =
            switch place {
            case .background: lines.forEach { seen.add($0) }
            case .queue: lines.forEach(on: .queue(DispatchQueue(label: "lines"))) { seen.add($0) }
            case .main: lines.forEach(on: .main) { seen.add($0) }
            case .task:
                lines.forEach(on: .task) { line in
                    await Task.yield()
                    seen.add(line)
                }
            }
        try await done.value
        #expect(seen.all == (0..<500).map(String.init))
    }

    @Test func slowHandlerSlowsTheServer() async throws {
        let sent = Recorded<Int>()
        site.server.answer(
            "/",
            with: .stream { writer in
                for number in 0..<Portions.beyondBuffers {
                    try await writer.write([UInt8](repeating: 0x61, count: 65_535) + [0x0A])
                    sent.add(number)
                }
            })
        let lines = try await Fetch(.get("/"), of: site.client(), as: Lines.self).promise.value
        let gate = gate
        let (began, resolver) = Promise<Void>.pending()
        let done = lines.forEach(on: .task) { _ in
            resolver.fulfill(())
            try await gate.opened()
        }
        try await began.value
        var before = -1
        while before != sent.all.count {
            before = sent.all.count
            for _ in 0..<2000 { await Task.yield() }
        }
        #expect(sent.all.count < Portions.beyondBuffers)
        gate.open()
        try await done.value
        #expect(sent.all.count == Portions.beyondBuffers)
    }
}
