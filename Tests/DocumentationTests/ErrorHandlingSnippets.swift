import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Errors", and tests of the claims of that article.
@Suite struct ErrorHandlingSnippets: SampleAPI {
    typealias Request<Output: Sendable> = SampleRequest<Output>

    @Test func catching() async {
        let shown = Recorded<String>()
        func show(_ text: String) { shown.add(text) }
        do {
            do {
                let post = try await CreatePost(title: "").promise.value
                show(post.title)
            } catch RequestError.Code.idleTimedOut {
                show("The server is slow today.")
            } catch let error as RequestError where error.response?.status == .unprocessableContent {
                show(error.payload(as: APIError.self)?.reason ?? error.message)
            } catch let error as RequestError {
                show(error.message)
            }
        } catch {}
        #expect(shown.all == ["A post needs a title."])
    }

    @Test func places() async throws {
        let server = try LoopbackServer()
        server.answer("/users", with: .json(#"[{"id": 1, "name": "Ada"}, {"id": 2, "name": null}]"#))
        let client = Client(baseURL: server.url)
        let error = try await thrown { try await client.get("/users", as: [User].self).value }
        var shown: [String] = []
        func show(_ text: String) { shown.append(text) }
        if let problem = error.underlying as? DecodingProblem { show("\(problem.path): \(problem.expected)") }
        #expect(shown == ["[1].name: String"])
        let start =
            "notDecodable (decode): no Array<User> in the body: expected String at [1].name, found null, GET http"
        #expect("\(error)".hasPrefix(start))
        #expect("\(error)".contains(", status 200 OK"))
    }

    @Test func payloads() async throws {
        let error = try await thrown { try await Payloads.CreatePost(title: "").promise.value }
        #expect(error.message == "A post needs a title.")
        #expect(error.payload(as: Payloads.APIError.self) != nil)
    }

    enum Payloads {
        struct APIError: Codable, Sendable {
            let reason: String
        }

        final class CreatePost: Request<Post> {
            let title: String
            init(title: String) { self.title = title }
            override var endpoint: Endpoint { .post("/posts", body: .json(["title": title])) }
            override var errorSerializer: ErrorSerializer? { .json(APIError.self) { error in error.reason } }
        }
    }

    @Test func business() async throws {
        let validation: Validation =
            .status(200..<300) + .business(code: "status.code", success: [0], message: "status.text")
        let server = try LoopbackServer()
        server.answer("/", with: .json(#"{"status": {"code": 7, "text": "Not today."}}"#))
        let client = Client(baseURL: server.url) { $0.validation = validation }
        let error = try await thrown { try await client.get("/", as: Data.self).value }
        #expect(error.code == .business)
        #expect(error.businessCode == "7")
        #expect(error.message == "Not today.")
    }

    @Test func messages() async throws {
        let error = try await thrown { try await GetUser(id: 404).promise.value }
        let english = error.message(in: .english)  // "What you are looking for does not exist."
        let chinese = error.message(in: .simplifiedChinese)  // "您查找的内容不存在。"
        #expect(english == "What you are looking for does not exist.")
        #expect(chinese == "您查找的内容不存在。")
    }

    @Test func retrying() async throws {
        let user = Promise.retry(3, backoff: .exponential(), if: RequestError.isRetryable) { attempt in
            GetUser(id: 1).start().promise
        }
        #expect(try await user.value.name == "Ada")
    }

    @Test func catchingInAChain() async {
        let shown = Recorded<String>()
        @Sendable func show(_ text: String) { shown.add(text) }
        let chain =
            GetUser(id: 404).promise
            .next { user in show(user.name) }
            .catch(RequestError.self) { error in show(error.message) }
        await #expect(throws: RequestError.self) { try await chain.value }
        #expect(shown.all == ["What you are looking for does not exist."])
    }

    @Test func anyError() async {
        let shown = Recorded<String>()
        func show(_ text: String) { shown.add(text) }
        do {
            _ = try await GetUser(id: 404).promise.value
        } catch {
            show(error.asRequestError?.message ?? "\(error)")
        }
        #expect(shown.all == ["What you are looking for does not exist."])
    }

    @Test func redirects() async throws {
        let client = client
        let error = try await thrown { try await client.get("/old", as: Data.self).value }
        #expect(error.code == .badStatus)
        #expect(error.response?.headers["Location"] == "/new")
        #expect(error.detail.contains("/new"))
    }
}
