/// A position in the history of removals of a folder.
struct HistoryPosition: Equatable, Sendable {
    /// A random number that changes when the history begins anew. Positions of another one are unknown.
    var incarnation: UInt64

    /// The number of the last removal.
    var number: Int64

    init(incarnation: UInt64, number: Int64) {
        self.incarnation = incarnation
        self.number = number
    }

    init(_ moment: CacheMoment) throws {
        let parts = moment.text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let incarnation = UInt64(hexadecimal: String(parts[0])), let number = Int64(parts[1]),
            number >= 0
        else {
            throw CacheError(.invalid, "The moment comes from another store. Use one that this store has returned.")
        }
        self.init(incarnation: incarnation, number: number)
    }

    var moment: CacheMoment { CacheMoment("\(incarnation.hexadecimal(16)):\(number)") }
}
