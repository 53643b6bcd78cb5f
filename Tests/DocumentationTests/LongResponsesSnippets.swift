import Foundation
import LoopbackServer
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The code of the article on long responses.
@Suite(.timeLimit(.minutes(20)))
struct LongResponsesSnippets {
    struct Update: Codable, Hashable, Sendable { let id: Int }
    struct Chunk: Codable, Hashable, Sendable { let text: String }
    struct Row: Codable, Hashable, Sendable { let id: Int }
    struct Repository: Codable, Hashable, Sendable { let name: String }
    struct Messages: Codable, Hashable, Sendable {
        let messages: [String]
        let nextCursor: String?
    }

    /// The server and client of these requests, in place of the default client.
    enum Long {
        static let server: LoopbackServer = {
            guard let server = try? LoopbackServer() else { preconditionFailure("cannot start the loopback server") }
            server.answer("/log", with: .text("one\ntwo"))
            server.answer("/rows", with: .text("{\"id\": 1}\n{\"id\": 2}\n"))
            server.answer("/export", with: .generated(bytes: 100_000))
            server.answer("/updates") { request in
                request.headers["Last-Event-ID"] == nil
                    ? .events([.retry(milliseconds: 1), .event("{\"id\": 1}", id: "1")]) : .status(204)
            }
            server.answer(
                "/completions", method: "POST", with: .events([#"{"text": "Hello"}"#, "[DONE]"], ends: false))
            server.answer("/repositories") { request in
                request.query == "page=2"
                    ? .json(#"[{"name": "b"}]"#)
                    : .json(#"[{"name": "a"}]"#).header("Link", "</repositories?page=2>; rel=\"next\"")
            }
            server.answer("/messages") { request in
                request.query == "after=x"
                    ? .json(#"{"messages": ["c"]}"#) : .json(#"{"messages": ["a", "b"], "nextCursor": "x"}"#)
            }
            return server
        }()
        static let client = Client(baseURL: server.url) { $0.timeouts = .patient }
    }

    class Request<Output: Sendable>: TangoRequest.Request<Output> {
        override var client: Client { Long.client }
    }

    private let shown = Facts()

    private func show<Value: Sendable>(_ value: Value) { shown.note("\(value)") }

    final class GetLog: Request<Lines> {
        override var endpoint: Endpoint { .get("/log") }
    }

    final class GetExport: Request<ByteStream> {
        override var endpoint: Endpoint { .get("/export") }
    }

    final class GetRows: Request<NDJSON<Row>> {
        override var endpoint: Endpoint { .get("/rows") }
    }

    final class GetUpdates: Request<EventStream<Update>> {
        override var endpoint: Endpoint { .get("/updates") }
    }

    enum WithPolicy {
        final class GetUpdates: Request<EventStream<Update>> {
            override var endpoint: Endpoint { .get("/updates") }
            override var serializer: Serializer<EventStream<Update>> {
                .events(EventStreamPolicy(attempts: 5, idle: .seconds(45)))
            }
        }
    }

    final class Complete: Request<EventStream<Chunk>> {
        override var endpoint: Endpoint { .post("/completions", body: .json(["stream": true])) }
        override var serializer: Serializer<EventStream<Chunk>> {
            .events(EventStreamPolicy(isEnd: { event in event.data == "[DONE]" }))
        }
    }

    final class GetRepositories: Request<[Repository]> {
        override var endpoint: Endpoint { .get("/repositories", query: ["per_page": 100]) }
        override var paging: Paging<[Repository]> { .linkHeader.limited(pages: 20) }
    }
    final class GetMessages: Request<Messages> {
        override var endpoint: Endpoint { .get("/messages") }
        override var paging: Paging<Messages> { .cursor(\.nextCursor, parameter: "after").prefetching() }
    }

    @Test func lines() async throws {
        for try await line in try await GetLog().promise.value {
            show(line)
        }
        #expect(shown.all == ["one", "two"])
    }

    @Test func rows() async throws {
        #expect(try await GetRows().promise.value.reduce(into: []) { $0.append($1.id) } == [1, 2])
    }

    @Test func callbacks() async throws {
        let shown = shown
        @Sendable func show(_ text: String) { shown.note(text) }
        GetLog().start { lines in
            lines.forEach { line in show(line) }
                .catch { error in show("\(error)") }
        } failure: { error in
            show("\(error)")
        }
        await shown.reached { $0 == ["one", "two"] }
    }

    @Test func events() async throws {
        for try await update in try await GetUpdates().promise.value {
            show(update)
        }
        #expect(shown.all == ["Update(id: 1)"])
        #expect(try await WithPolicy.GetUpdates().promise.value.reduce(into: []) { $0.append($1.id) } == [1])
        #expect(try await Complete().promise.value.reduce(into: []) { $0.append($1.text) } == ["Hello"])
    }

    @Test func writing() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "tango-export-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        let export = try await GetExport().promise.value
        let count = try await export.write(to: handle)
        #expect(count == 100_000)
    }

    @Test func pages() async throws {
        for try await page in GetRepositories().pages {
            show(page.count)
        }
        for try await repository in GetRepositories().items {
            show(repository.name)
        }
        for try await message in GetMessages().items(\.messages) {
            show(message)
        }
        #expect(shown.all == ["1", "1", "a", "b", "a", "b", "c"])
    }

    @Test func eventsOfTheLoopbackServer() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let gate = Gate()
        server.answer("/updates", with: .events(["one", .event("two", id: "2"), .hold(gate), .disconnect]))
        gate.open()
        let response = try await Long.client.send(HTTPRequest(.get, server, "/updates"), delivery: .stream)
        var events: [String] = []
        await #expect(throws: RequestError.self) {
            for try await event in EventStream<String>(response) { events.append(event) }
        }
        #expect(events == ["one", "two"])
    }
}
