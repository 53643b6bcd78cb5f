import Foundation
import Tango

struct User: Codable, Sendable {
    let id: Int
}

final class GetUser: Request<User> {
    let id: Int

    init(id: Int) { self.id = id }

    override var endpoint: Endpoint { .get("/users/\(id)") }
}

Client.default = Client(baseURL: URL(string: CommandLine.arguments[1]))
print(try await GetUser(id: 1).promise.map { user in "user \(user.id)" }.value)
