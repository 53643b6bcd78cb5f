import Foundation
import TangoRequest

struct Person: Codable, Hashable, Sendable {
    let id: Int
    let name: String
}

struct Receipt: Decodable, Hashable, Sendable, EmptyBodyRepresentable {
    var number: Int?
    static var emptyBody: Receipt { Receipt() }
}

extension HTTPResponse {
    /// Creates a response with a text as body.
    init(_ body: String, status: HTTPStatus = 200, headers: Headers = [:]) {
        self.init(status: status, headers: headers, body: Data(body.utf8))
    }
}
