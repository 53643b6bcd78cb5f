import Synchronization

/// The rows that were read and not noted in the database yet.
final class Touches: Sendable {
    /// So many are noted together.
    static let batch = 512

    private let ids = Mutex<Set<Int64>>([])

    /// Adds a row; true if it is time to note them all.
    @inline(__always)
    func add(_ id: Int64) -> Bool {
        ids.withLock { ids in
            ids.insert(id).inserted && ids.count == Self.batch
        }
    }

    /// Takes all that are not noted yet.
    func take() -> Set<Int64> {
        ids.withLock { ids in
            defer { ids.removeAll(keepingCapacity: true) }
            return ids
        }
    }
}
