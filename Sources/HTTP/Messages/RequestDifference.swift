/// A part in which a request differs from one that was recorded, or for which a test has a response.
package enum RequestDifference: Equatable, Sendable {
    /// The class of the request.
    case type(String)
    case method(String)
    /// The scheme, the host and the port.
    case origin(String)
    case path(String)
    /// The items that the query does not have, and those that it has besides.
    case query(missing: [String], added: [String])
    case body
    /// A condition of the test, which is a closure.
    case condition

    /// The difference in words. The values are the expected ones.
    var text: String {
        switch self {
        case .type(let name): "the request is a \(name)"
        case .method(let method): "the method is \(method)"
        case .origin(let origin): "the server is \(origin)"
        case .path(let path): "the path is \(path)"
        case .query(let missing, let added):
            [
                missing.isEmpty ? nil : "the query has \(missing.joined(separator: ", "))",
                added.isEmpty ? nil : "the query does not have \(added.joined(separator: ", "))",
            ].compactMap(\.self).joined(separator: ", and ")
        case .body: "the body is another one"
        case .condition: "a condition applies, which does not apply to this request"
        }
    }

    fileprivate var weight: Int {
        switch self {
        case .type, .path: 8
        case .method: 4
        case .origin: 3
        case .query(let missing, let added): missing.count + added.count > 2 ? 3 : 2
        case .condition: 2
        case .body: 1
        }
    }
}

extension [RequestDifference] {
    /// A number that is lower for a request that is nearer.
    package var weight: Int { reduce(0) { $0 + $1.weight } }

    /// All differences in words.
    package var text: String { map(\.text).joined(separator: "; ") }
}
