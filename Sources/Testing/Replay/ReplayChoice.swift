/// The choice of the recorded exchange for a request.
enum ReplayChoice: Equatable {
    /// The number of the exchange.
    case exchange(Int)
    /// There is none. The text says which one is nearest, and the difference.
    case miss(String)
}

extension HARReplay.Matching {
    /// Chooses an exchange.
    ///
    /// - Parameters:
    ///   - recorded: The recorded requests.
    ///   - isUsed: Returns whether an exchange was chosen before.
    ///   - isAnswer: Returns whether the response is one for the request at all: a 304 needs a conditional request.
    func choose(
        for request: RequestShape, from recorded: [RequestShape], isUsed: (Int) -> Bool,
        isAnswer: (Int) -> Bool = { _ in true }
    ) -> ReplayChoice {
        let candidates = recorded.indices.filter(isAnswer).map { index in
            (index: index, differences: request.differences(from: recorded[index]))
        }
        let matching = candidates.filter { candidate in candidate.differences.allSatisfy(ignores) }
            .sorted { ($0.differences.count, $0.index) < ($1.differences.count, $1.index) }
        if let first = matching.first(where: { !isUsed($0.index) }) { return .exchange(first.index) }
        if self == .lenient, let last = matching.last(where: { $0.differences == matching[0].differences }) {
            return .exchange(last.index)
        }
        if !matching.isEmpty {
            let times = matching.count == 1 ? "once" : "\(matching.count) times"
            return .miss(
                "it was recorded \(times) and is requested again: record it again, or use the lenient matching")
        }
        let nearest = candidates.min { $0.differences.weight < $1.differences.weight }
        guard let nearest else { return .miss("the recording has no exchanges: record it again") }
        let shape = recorded[nearest.index]
        let differences = nearest.differences.text
        return .miss(
            "the nearest recorded request is \(shape.method) \(shape.origin)\(shape.path): there \(differences)")
    }

    private func ignores(_ difference: RequestDifference) -> Bool {
        guard self == .lenient else { return false }
        switch difference {
        case .origin, .body: return true
        case .type, .method, .path, .query, .condition: return false
        }
    }
}
