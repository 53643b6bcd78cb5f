import Foundation
import LoopbackServer
import TangoRequest
import TangoTransfers
import Testing

@testable import TestSupport

/// The names that the recipes of the cookbook use.
enum Cookbook {
    /// The client of the requests that are started in a test, in place of the default client of the process.
    @TaskLocal static var client = Client()

    class Request<Output: Sendable>: TangoRequest.Request<Output> {
        override var client: Client { Cookbook.client }
    }

    class Download: TangoTransfers.Download {
        override var client: Client { Cookbook.client }
    }

    struct User: Codable, Sendable, Equatable {
        var id: Int
        var name: String
    }

    struct Post: Codable, Sendable, Equatable {
        var id: Int
        var title: String
    }

    final class GetUser: Request<User> {
        let id: Int
        init(id: Int) { self.id = id }
        override var endpoint: Endpoint { .get("/users/\(id)") }
    }

    /// The response to a request for a user.
    static func ada(_ id: Int = 1) -> Response { .json(#"{"id": \#(id), "name": "Ada"}"#) }
}

/// A page of the cookbook. Each test has a server of its own.
protocol CookbookPage {
    var server: LoopbackServer { get }
}

extension CookbookPage {
    typealias User = Cookbook.User
    typealias Post = Cookbook.Post
    typealias GetUser = Cookbook.GetUser

    var url: URL { server.url }
    var api: Client { Client(baseURL: url) { $0.timeouts = .patient } }

    /// Starts the requests of the closure with this client.
    func with(
        _ client: Client, isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Void
    ) async throws {
        try await Cookbook.$client.withValue(client, operation: work)
    }
}
