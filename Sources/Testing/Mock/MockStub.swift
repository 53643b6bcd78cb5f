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

    /// A Boolean value that indicates whether a closure of the test selects the requests.
    var hasClosure: Bool {
        if case .closure = condition { true } else { false }
    }

    /// Takes the next response. The last one is repeated.
    mutating func next() -> MockResponse {
        defer { uses += 1 }
        return responses[min(uses, responses.count - 1)]
    }

    /// Returns the parts of a request to which the condition does not apply.
    func differences(from target: MockTarget) -> [RequestDifference] {
        switch condition {
        case .invalid: return [.condition]
        case .closure(let applies): return applies(target.request) ? [] : [.condition]
        case .type(let expected): return target.type.map { $0 == expected } ?? false ? [] : [.type("\(expected)")]
        case .pattern(let method, let pattern):
            var result: [RequestDifference] = []
            if method != target.request.method { result.append(.method("\(method)")) }
            if let origin = pattern.origin, origin != target.origin { result.append(.origin(origin)) }
            if !pattern.matches(target.segments) { result.append(.path(pattern.path)) }
            let missing = pattern.query.without(target.queryItems)
            if !missing.isEmpty { result.append(.query(missing: missing, added: [])) }
            return result
        }
    }
}

/// The choice of the stub for a request.
enum MockChoice: Equatable {
    case stub(Int)
    /// None matches. The text says which one is nearest, and the difference.
    case miss(String)

    /// Chooses the newest stub that matches.
    init(_ request: HTTPRequest, _ type: Any.Type?, from stubs: [MockStub]) {
        let target = MockTarget(request, type)
        var nearest: (index: Int, differences: [RequestDifference])?
        for index in stubs.indices.reversed() where stubs[index].isValid {
            let differences = stubs[index].differences(from: target)
            guard !differences.isEmpty else {
                self = .stub(index)
                return
            }
            if nearest.map({ differences.weight <= $0.differences.weight }) ?? true { nearest = (index, differences) }
        }
        guard let nearest else {
            self = .miss("there are no stubs: add one with mock.stub(.get, \"/path\", .json([:]))")
            return
        }
        self = .miss("the nearest stub is \(stubs[nearest.index].name): there \(nearest.differences.text)")
    }
}
