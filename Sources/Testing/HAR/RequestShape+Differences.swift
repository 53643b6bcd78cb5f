extension RequestShape {
    /// Returns the parts in which a recorded request is different.
    func differences(from recorded: RequestShape) -> [RequestDifference] {
        var result: [RequestDifference] = []
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
    func without(_ other: [String]) -> [String] {
        var rest = other
        return filter { element in
            guard let index = rest.firstIndex(of: element) else { return true }
            rest.remove(at: index)
            return false
        }
    }
}
