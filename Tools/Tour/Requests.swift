import Foundation
import LoopbackServer
import Tango
import TangoMeasuring
import TangoTransfers

/// Chapter one: requests as small classes, sent to a real server in this process.
func requests() async throws {
    let server = try LoopbackServer()
    addRoutes(to: server)
    Client.default = Client(baseURL: server.url)
    try await chains(server)
    try await nine(server)
    try await typedErrors()
    try await cancelling(server)
    try await progress(server)
    await faults(server)
    await Client.default.shutdown()
    server.stop()
}

// MARK: Helpers

private struct User: Decodable, Sendable {
    let id: Int
    let name: String
}

private struct Post: Codable, Sendable {
    let title: String
}

/// The body of a response that rejects a request.
private struct Refusal: Decodable, Sendable {
    let field: String
    let reason: String
}

private final class GetUser: Request<User> {
    let id: Int
    init(id: Int) { self.id = id }
    override var endpoint: Endpoint { .get("/users/\(id)") }
}

private final class GetPosts: Request<[Post]> {
    var author = 0
    override var endpoint: Endpoint { .get("/posts", query: ["author": author, "sort": ["date", "title"]]) }
}

private final class CreatePost: Request<Post> {
    let title: String
    init(title: String) { self.title = title }
    override var endpoint: Endpoint { .post("/posts", body: .json(["title": title, "draft": false])) }
    override var errorSerializer: ErrorSerializer? { .json(Refusal.self) { refusal in refusal.reason } }
}

private final class GetFilm: Request<Data> {
    override var endpoint: Endpoint { .get("/film") }
}

private final class DownloadFilm: Download {
    let folder: URL
    init(to folder: URL) { self.folder = folder }
    override var endpoint: Endpoint { .get("/film.mp4") }
    override var destination: Destination { .folder(folder) }
    override var retryPolicy: RetryPolicy { .standard }
}

private final class GetReport: Request<Data> {
    override var endpoint: Endpoint { .get("/report", query: ["year": 2026, "token": "secret"]) }
}

private let names = ["Ada", "Grace", "Barbara", "Frances", "Radia", "Hedy", "Joan", "Karen", "Mary"]

private func addRoutes(to server: LoopbackServer) {
    server.answer("/users/1", with: user(1))
    server.answer("/posts", method: "GET", with: .json(#"[{"title": "Hello"}, {"title": "Goodbye"}]"#))
    server.answer(
        "/posts", method: "POST", with: .json(#"{"field": "title", "reason": "A post needs a title."}"#, status: 422))
}

private func user(_ id: Int) -> Response {
    .json(#"{"id": \#(id), "name": "\#(names[id - 1])"}"#)
}

// MARK: The sections

private func chains(_ server: LoopbackServer) async throws {
    section("A request is a small class, and its promise starts a chain")
    let line = GetUser(id: 1).promise
        .next { user in
            let posts = GetPosts()
            posts.author = user.id
            return posts.promise.next { posts in "\(user.name) wrote \(posts.count) posts" }
        }
        .catch { error in show("\(error)") }
    show(try await line.value)
    show("sent: \(server.requests.map { "\($0.method) \($0.target)" }.joined(separator: ", "))")
    show("over connections \(server.requests.map { "\($0.connection)" }.joined(separator: ", "))")
}

private func nine(_ server: LoopbackServer) async throws {
    section("Nine requests at once: the values have the order of the input, in any order of the responses")
    // The server holds all responses, and sends them in reverse order.
    let gates = (1...9).map { _ in Gate() }
    for id in 1...9 {
        server.answer("/users/\(id)", with: user(id).held(by: gates[id - 1]))
    }
    let arrivals = Record()
    let promises = (1...9).map { id in
        GetUser(id: id).promise.tap { user in
            arrivals.note("\(user.id)")
            if id > 1 { gates[id - 2].open() }
        }
    }
    gates[8].open()
    let users = try await Promise.all(promises).value
    show("received: \(arrivals.story)")
    show("in the array: \(users.map(\.name).joined(separator: ", "))")
}

private func typedErrors() async throws {
    section("An error has the body of the response, decoded as a type of yours, and a message for the user")
    do {
        _ = try await CreatePost(title: "").promise.value
    } catch let error as RequestError {
        show("\(error.code), \(error.response?.status.code ?? 0): \(error.message)")
        show("the field: \(error.payload(as: Refusal.self)?.field ?? "unknown")")
    }
    do {
        _ = try await GetUser(id: 404).promise.value
    } catch let error as RequestError {
        show("without a message from the server: \(error.message(in: .english))")
        show("or: \(error.message(in: .simplifiedChinese))")
    }
}

private func cancelling(_ server: LoopbackServer) async throws {
    section("Cancelling closes the connection, and no callback runs after it")
    let gate = Gate()
    server.answer("/film", with: .text("never sent").held(by: gate))
    let callbacks = Record()
    let call = GetFilm().start { _, _ in
        callbacks.note("success")
    } failure: { _, _ in
        callbacks.note("failure")
    }
    try await gate.reached()
    show("the server has the request: \(call.name) is \(call.state)")
    call.cancel()
    _ = try await server.happened { event in
        if case .closed(_, by: .client) = event { true } else { false }
    }
    show("the client closed the connection; callbacks: \(callbacks.story.isEmpty ? "none" : callbacks.story)")
    show("the call is cancelled: \(call.state == .finished(.cancelled))")
}

private func progress(_ server: LoopbackServer) async throws {
    section("A download shows its progress, and goes on after an interruption")
    let film = Entity(bytes: 1_000_000)
    server.answer("/film.mp4") { request in
        let response = film.response(to: request)
        // The whole file breaks off half-way, and the rest of it does not.
        return response.status == 200 ? response.failing(.reset, at: .responseBody) : response
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tango-tour-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let bars = ProgressBars()
    let call = DownloadFilm(to: folder).start()
    bars.add(call, name: "    film.mp4")
    let file = try await call.value
    await bars.finish()
    show("\(file.url.lastPathComponent) has \(file.count) bytes, after \(call.attempts.count) requests")
    show("the second one asked for the missing bytes: \(server.requests.last?.headers["Range"] != nil)")
}

private func faults(_ server: LoopbackServer) async {
    section("If a connection breaks, the error says what failed, in which phase and whether to retry, without secrets")
    let report = String(repeating: "figures and more figures ", count: 1000)
    server.answer("/report", with: .text(report).failing(.truncate, at: .responseBody))
    do {
        _ = try await GetReport().promise.value
    } catch let error as RequestError {
        show("\(error)".replacingOccurrences(of: ":\(server.port)", with: ""))
        show("for the user: \(error.message(in: .english))")
        show("retryable: \(error.isRetryable ? "yes" : "no")")
    } catch {
        show("\(error)")
    }
}
