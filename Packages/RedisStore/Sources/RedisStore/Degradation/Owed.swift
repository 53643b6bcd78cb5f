import TangoCache

/// A removal.
enum Removal: Hashable, Sendable {
    case key(CacheKey)
    case prefix(CacheKey)
    case tag([UInt8])
    case all

    /// Returns whether this removal removes everything that another one removes.
    func includes(_ other: Removal) -> Bool {
        switch (self, other) {
        case (.all, _): true
        case (.prefix(let prefix), .key(let key)), (.prefix(let prefix), .prefix(let key)): key.hasPrefix(prefix)
        default: self == other
        }
    }

    /// Returns whether an entry belongs to the removal.
    func contains(_ key: CacheKey, tags: Set<String>) -> Bool {
        switch self {
        case .key(let removed): key == removed
        case .prefix(let prefix): key.hasPrefix(prefix)
        case .tag(let tag): tags.contains { Array($0.utf8) == tag }
        case .all: true
        }
    }
}

/// The removals that have failed and must be repeated. A plain value.
struct Owed: Sendable {
    /// More removals than this are replaced by the removal of everything.
    static let limit = 1_000

    /// The removals, and the number of the last failure of each.
    private var failures: [Removal: Int] = [:]

    /// The number of failures so far. A removal pays only for failures from before it was sent: later ones may concern
    /// entries that were stored after it.
    private(set) var mark = 0

    var isEmpty: Bool { failures.isEmpty }
    var count: Int { failures.count }
    var removals: some Collection<Removal> { failures.keys }

    mutating func add(_ removal: Removal) {
        mark += 1
        let isAll = removal == .all || failures[.all] != nil || failures.count == Self.limit && failures[removal] == nil
        if isAll { failures = [.all: mark] } else { failures[removal] = mark }
    }

    /// Notes that a removal has succeeded.
    ///
    /// - Parameters:
    ///   - removal: The removal. It pays for all removals that it includes.
    ///   - mark: The mark at the time when it was sent.
    mutating func pay(_ removal: Removal, sentAt mark: Int) {
        guard !failures.isEmpty else { return }
        failures = failures.filter { $0.value > mark || !removal.includes($0.key) }
    }

    /// Returns whether an entry should have been removed.
    func hides(_ key: CacheKey, tags: Set<String>) -> Bool {
        failures.keys.contains { $0.contains(key, tags: tags) }
    }
}
