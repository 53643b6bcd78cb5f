/// The choice of the recorded exchange for a request.
enum ReplayChoice: Equatable {
    case exchange(Int)
    /// There is none. The text says which one is nearest, and the difference.
    case miss(String)
}

extension HARReplay.Matching {
    /// Chooses an exchange.
    ///
    /// - Parameters:
    ///   - recorded: The recorded requests.
    ///   - equal: The digests of those that are equal to the request, each with the numbers of the ones that were not
    ///     chosen before, the last one first. They are tried before all others.
    ///   - isUsed: Returns whether an exchange was chosen before.
    ///   - next: The exchanges to which the responses of others have led, with secrets that the recording does not have.
    ///   - isAnswer: Returns whether the response is one for the request at all: a 304 needs a conditional request.
    func choose(
        for request: RequestShape, from recorded: [RequestShape], equal: [(digest: String?, unused: [Int])] = [],
        isUsed: (Int) -> Bool, next: Set<Int> = [], isAnswer: (Int) -> Bool = { _ in true }
    ) -> ReplayChoice {
        // Requests with the same secrets have priority. With secrets that were not recorded, the order decides.
        func best(_ kinds: [(digest: String?, unused: [Int])]) -> [[Int]] {
            let digits = kinds.map { request.commonDigits(with: $0.digest) }
            let most = digits.max()
            return zip(kinds, digits).filter { $0.1 == most }.map(\.0.unused)
        }
        let bestEqual = best(equal)
        let nextEqual = next.filter { place in bestEqual.contains { $0.contains(place) } }
        if let place = nextEqual.min() ?? bestEqual.compactMap(\.last).min() { return .exchange(place) }
        let candidates = recorded.indices.filter(isAnswer).map { index in
            (index: index, differences: request.differences(from: recorded[index]))
        }
        // A body that cannot be compared comes after those that are like that of the request.
        func rank(_ place: Int) -> Int { request.body != .unknown && recorded[place].body == .unknown ? 1 : 0 }
        let matching = candidates.filter { candidate in candidate.differences.allSatisfy(ignores) }
            .map { (rank: rank($0.index), count: $0.differences.count, candidate: $0) }
            .sorted { ($0.rank, $0.count, $0.candidate.index) < ($1.rank, $1.count, $1.candidate.index) }
            .map(\.candidate)
        let unused = best(
            matching.map { (recorded[$0.index].digest, isUsed($0.index) ? [] : [$0.index]) }
        ).joined()
        if let place = unused.first(where: next.contains) ?? unused.first { return .exchange(place) }
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
