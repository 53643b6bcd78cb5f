/// The responses of a test for some requests.
struct MockStub: Sendable {
    enum Condition: Sendable {
        case pattern(HTTPMethod, MockPattern)
        /// The class of the request.
        case type(Any.Type)
        case closure(@Sendable (HTTPRequest) -> Bool)
        /// A pattern with a mistake matches nothing.
        case invalid(HTTPMethod, MockProblem)
    }

    let condition: Condition
    let responses: [MockResponse]
    /// The place in the test.
    let place: String
    /// The number of requests that it has responded to.
    var uses = 0

    /// The stub in words, such as `GET /users/{id}`.
    var name: String {
        switch condition {
        case .pattern(let method, let pattern): "\(method) \(pattern.text)"
        case .type(let type): "\(type)"
        case .closure: "a condition"
        case .invalid(let method, _): "\(method)"
        }
    }

    var isValid: Bool {
        if case .invalid = condition { false } else { true }
    }

    /// Takes the next response. The last one is repeated.
    mutating func next() -> MockResponse {
        defer { uses += 1 }
        return responses[min(uses, responses.count - 1)]
    }

    /// Compares a request with the condition.
    func compare(_ request: HTTPRequest, _ type: Any.Type?) -> (differences: [RequestDifference], fit: MockPattern.Fit)
    {
        switch condition {
        case .invalid: return ([.condition], .none)
        case .closure(let applies): return applies(request) ? ([], .whole) : ([.condition], .none)
        case .type(let expected):
            return type.map { $0 == expected } ?? false ? ([], .whole) : ([.type("\(expected)")], .none)
        case .pattern(let method, let pattern):
            let parts = URLParts(request.url.absoluteString[...])
            let fit = pattern.fit(parts.segments)
            var result: [RequestDifference] = []
            if method != request.method { result.append(.method("\(method)")) }
            if let origin = pattern.origin, origin != parts.origin { result.append(.origin(origin)) }
            if fit == .none { result.append(.path(pattern.path)) }
            let missing = pattern.query.without(parts.queryItems)
            if !missing.isEmpty { result.append(.query(missing: missing, added: [])) }
            return (result, fit)
        }
    }
}

/// The choice of the stub for a request.
enum MockChoice: Equatable {
    case stub(Int)
    /// None matches. The text says which one is nearest, and the difference.
    case miss(String)

    /// Chooses the newest stub that matches. A match of the whole path has priority over one of its end.
    init(_ request: HTTPRequest, _ type: Any.Type?, from stubs: [MockStub]) {
        let candidates = stubs.indices.filter { stubs[$0].isValid }.map { index in
            (index: index, result: stubs[index].compare(request, type))
        }
        let matching = candidates.filter(\.result.differences.isEmpty)
        if let best = matching.max(by: { ($0.result.fit, $0.index) < ($1.result.fit, $1.index) }) {
            self = .stub(best.index)
        } else if let nearest = candidates.min(by: { $0.result.differences.weight < $1.result.differences.weight }) {
            self = .miss("the nearest stub is \(stubs[nearest.index].name): there \(nearest.result.differences.text)")
        } else {
            self = .miss("there are no stubs: add one with mock.stub(.get, \"/path\", .json([:]))")
        }
    }
}
