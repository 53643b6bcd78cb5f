// flags: -default-isolation MainActor -enable-upcoming-feature InferIsolatedConformances
// In a module whose default isolation is the main actor, a model without `nonisolated` belongs to that actor. Responses
// are decoded elsewhere.
import TangoRequest

struct User: Codable { var name = "" }

final class GetUser: Request<User> {
    override var serializer: Serializer<User> {
        .json  // error: main actor-isolated conformance of 'User' to 'Decodable'
    }
}

final class SaveUser: Request<Void> {
    var user = User()
    override var endpoint: Endpoint {
        .put("/user", body: .json(user))  // error: main actor-isolated conformance of 'User' to 'Encodable'
    }
}
