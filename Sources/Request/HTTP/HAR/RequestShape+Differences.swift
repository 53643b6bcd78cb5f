extension RequestShape {
    /// A part in which a request differs from a recorded one. The weight is higher for parts that matter more.
    enum Difference: Hashable, Sendable {
        case method(String)
        case origin(String)
        case path(String)
        /// The items of the query that are missing in the request, and those that it has besides.
        case query(missing: [String], added: [String])
        case body

        var weight: Int {
            switch self {
            case .path: 8
            case .method: 4
            case .origin: 3
            case .query(let missing, let added): 1 + missing.count + added.count > 3 ? 3 : 2
            case .body: 1
            }
        }

        /// The difference in words. The values are those of the recording.
        var text: String {
            switch self {
            case .method(let method): "the method is \(method)"
            case .origin(let origin): "the server is \(origin)"
            case .path(let path): "the path is \(path)"
            case .query(let missing, let added):
                [
                    missing.isEmpty ? nil : "the query has \(missing.joined(separator: ", "))",
                    added.isEmpty ? nil : "the query does not have \(added.joined(separator: ", "))",
                ].compactMap(\.self).joined(separator: ", and ")
            case .body: "the body is another one"
            }
        }
    }

    /// Returns the parts in which a recorded request is different.
    func differences(from recorded: RequestShape) -> [Difference] {
        var result: [Difference] = []
        if method != recorded.method { result.append(.method(recorded.method)) }
        if origin != recorded.origin { result.append(.origin(recorded.origin)) }
        if path != recorded.path { result.append(.path(recorded.path)) }
        if query != recorded.query {
            result.append(.query(missing: recorded.query.without(query), added: query.without(recorded.query)))
        }
        if body != recorded.body, body != .unknown, recorded.body != .unknown { result.append(.body) }
        return result
    }
}

extension [String] {
    /// The elements that another list does not have; each stands for one of that list.
    fileprivate func without(_ other: [String]) -> [String] {
        var rest = other
        return filter { element in
            guard let index = rest.firstIndex(of: element) else { return true }
            rest.remove(at: index)
            return false
        }
    }
}
