// What users write with requests, from the first declaration to a client of their own. It must compile without a warning
// and without an annotation where a person would not think of one.
import Foundation
import Tango

final class CreatePost: Request<Post> {
    let title: String
    init(title: String) { self.title = title }
    override var endpoint: Endpoint { .post("/posts", body: .json(["title": title])) }
}

final class UpdatePost: Request<Post> {
    var title: String?
    var isDraft = false
    override var endpoint: Endpoint {
        .patch("/posts/1", body: .json(["title": title, "draft": isDraft, "tags": ["a", "b"], "author": ["id": 1]]))
    }
    override var headers: Headers { ["X-Trace": "1"] }
    override var timeouts: Timeouts { Timeouts(idle: .seconds(5), total: .seconds(30)) }
    override var validation: Validation { .status(200..<300) + .contentType("application/json") }
    override var errorSerializer: ErrorSerializer? { .json(APIError.self) }
}

final class DeletePost: Request<Void> {
    override var endpoint: Endpoint { .delete("/posts/1") }
}

final class Avatar: Request<Data> {
    override var endpoint: Endpoint { .get("/avatar.png") }
}

final class SearchUsers: AppRequest<[User]> {
    var name: String?
    var limit = 20
    override var endpoint: Endpoint { .get("/users", query: ["name": name, "limit": limit, "sort": ["name", "id"]]) }
    override var serializer: Serializer<[User]> { .json(at: "data.items") }
}

struct APIError: Codable, Sendable { var reason = "" }

struct Stamp: Interceptor {
    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        var request = request
        request.headers["X-Request-ID"] = "\(context.call.id)"
        return try await next(request)
    }
}

func requests() async throws {
    Client.default = Client(baseURL: URL(string: "https://api.example.com")!, cache: .shared)

    GetUser(id: 1).promise
        .next { user in
            let posts = GetPosts()
            posts.author = user.id
            return posts.promise
        }
        .next { posts in print("\(posts.count) posts") }
        .catch { error in print(error) }

    Promise.all(GetUser(id: 1).promise, GetUser(id: 2).promise).next { first, second in print("\(first) \(second)") }
    Promise.all((1...9).map { GetUser(id: $0).promise }).next { users in print("\(users.count)") }
    GetUser(id: 1).promise.then({ user in user.name }, { _ in "anonymous" }).next { name in print("\(name)") }

    let user = try await GetUser(id: 1).promise.value
    let call = GetUser(id: user.id).start { user, call in
        print("\(user) of \(call)")
    } failure: { error, call in
        print("\(error) of \(call)")
    }
    call.cancel()
    for await progress in call.progress { print("\(progress.received)") }
    for await state in call.states where state.isFinished { print("\(state)") }

    let named: Promise<User> = Client.get("/users/1")
    let post: Promise<Post> = Client.default.post("/posts", body: .json(["title": "Hello"]))
    _ = try await (named.value, post.value)

    let other = Client(baseURL: URL(string: "http://localhost:8080/v1")) {
        $0.headers = ["Accept": "application/json"]
        $0.callbackScheduler = .operations(OperationQueue())
        $0.interceptors = [Stamp()]
    }
    let response = try await other.send(HTTPRequest(url: URL(string: "http://localhost:8080/raw")!))
    print("\(response.status) \(response.headers["Content-Type"] ?? "") \(response.body.count)")

    do {
        try await DeletePost().promise.value
    } catch let error as RequestError where error.code == .badStatus {
        print("\(error.response?.status ?? 0) \(error.payload(as: APIError.self)?.reason ?? error.message)")
    }
    await other.shutdown()
}
