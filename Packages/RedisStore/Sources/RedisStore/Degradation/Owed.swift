import TangoCache

/// A removal.
enum Removal: Hashable, Sendable {
    case key(CacheKey)
    case prefix(CacheKey)
    case tag([UInt8])
    case all

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

    private(set) var removals: Set<Removal> = []

    var isEmpty: Bool { removals.isEmpty }
    var count: Int { removals.count }

    mutating func add(_ removal: Removal) {
        guard !removals.contains(.all) else { return }
        removals.insert(removal)
        if removal == .all || removals.count > Self.limit { removals = [.all] }
    }

    mutating func pay(_ removal: Removal) {
        removals.remove(removal)
    }

    /// Returns whether an entry should have been removed.
    func hides(_ key: CacheKey, tags: Set<String>) -> Bool {
        removals.contains { $0.contains(key, tags: tags) }
    }
}
