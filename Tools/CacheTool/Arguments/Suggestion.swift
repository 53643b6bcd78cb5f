/// Suggestions for misspelled words.
enum Suggestion {
    /// Returns the candidate that is most similar to a word, if it is similar enough.
    static func nearest(to word: String, among candidates: [String]) -> String? {
        let ranked = candidates.map { (name: $0, distance: distance(from: word, to: $0)) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, best.name.count / 3) ? best.name : nil
    }

    /// Returns the number of letters to insert, remove, replace or swap with their neighbour.
    static func distance(from one: String, to other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (row, letter) in one.enumerated() {
            var current = [row + 1]
            for (column, otherLetter) in other.enumerated() {
                var best = min(last[column + 1], current[column]) + 1
                best = min(best, last[column] + (letter == otherLetter ? 0 : 1))
                let isSwapped =
                    row > 0 && column > 0 && letter == other[column - 1] && one[row - 1] == otherLetter
                if isSwapped { best = min(best, beforeLast[column - 1] + 1) }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }

    /// Returns the end of a message with a suggestion, if there is one.
    static func question(_ word: String, among candidates: [String]) -> String {
        nearest(to: word, among: candidates).map { "; did you mean \($0)?" } ?? "."
    }
}
