import Synchronization

/// The folder `following`: a file for each store that follows the changes of the others. Each store appends its changes
/// to the files of all others.
///
/// A file that is gone or damaged means that changes were missed. So a store may remove the file of a follower that does
/// not read it.
struct Inboxes: Sendable {
    /// The length from which the file of a follower is removed.
    static let limit = 1 << 20

    let folder: EntryFolder
    let origin: UInt64

    private var files: FileSystem { folder.files }
    private var path: String { folder.path + "/following" }
    private var own: String { path + "/" + origin.name }

    /// Returns the paths of the files of other followers.
    private func others() throws -> [String] {
        (try files.list(path) ?? []).filter { $0.utf8.count == 16 && $0 != origin.name }.map { path + "/" + $0 }
    }

    /// Tells the other followers of changes that were made.
    func tell(_ changes: [CacheChange]) {
        guard let others = try? others(), !others.isEmpty else { return }
        var bytes: [UInt8] = []
        for change in changes { ChangeRecord(change, by: origin).append(to: &bytes) }
        for other in others where (try? append(bytes, to: other)) != true { _ = try? files.remove(other) }
    }

    private func append(_ bytes: [UInt8], to path: String) throws -> Bool {
        guard let file = try files.append(path) else { return true }
        guard try file.status().size + bytes.count <= Self.limit else { return false }
        try bytes.withUnsafeBytes { try file.write($0) }
        return true
    }

    /// Removes the files of all followers, so that they forget everything.
    func forget() throws {
        for other in try others() { try files.remove(other) }
    }

    /// Removes the files of followers that have received nothing for long. Those that still exist create new ones.
    func sweep(where isOld: (FileStatus) -> Bool) throws {
        for other in try others() {
            if let status = try files.status(other), isOld(status) { try files.remove(other) }
        }
    }

    /// Reads the file of this store.
    final class Follower: ChangeFollower {
        private struct State {
            var position: Int?
            var former: FileStatus?
            /// The number of looks without a change.
            var quiet = 0
        }

        /// The number of looks without a change after which others count as gone.
        private static let patience = 100

        private let inboxes: Inboxes
        private let isOpen: @Sendable () -> Bool
        private let state = Mutex(State())

        init(_ inboxes: Inboxes, isOpen: @escaping @Sendable () -> Bool) {
            self.inboxes = inboxes
            self.isOpen = isOpen
        }

        func begin() -> Bool {
            (try? look()) != nil
        }

        func look() throws -> (changes: [CacheChange], hasOthers: Bool) {
            guard isOpen() else { throw CacheError.closed }
            var state = state.withLock { $0 }
            defer { self.state.withLock { $0 = state } }
            let changes = try read(&state)
            state.quiet = changes.isEmpty ? state.quiet + 1 : 0
            return (changes, state.quiet < Self.patience)
        }

        func end() {
            _ = try? inboxes.files.remove(inboxes.own)
        }

        private func read(_ state: inout State) throws -> [CacheChange] {
            guard let position = state.position, let file = try inboxes.files.open(inboxes.own) else {
                return try renew(&state)
            }
            let status = try file.status()
            let count = status.size - position
            guard count >= 0, status.size <= Inboxes.limit / 2, state.former.map(status.hasSameIdentity(as:)) ?? false
            else {
                return try renew(&state)
            }
            guard count > 0 else { return [] }
            let records = try withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) { bytes in
                let read = try file.read(into: bytes, at: position)
                return read == count ? ChangeRecord.all(in: UnsafeRawBufferPointer(bytes)) : nil
            }
            guard let records else { return try renew(&state) }
            state.position = status.size
            return records.map(\.change)
        }

        /// Begins a new file. Changes that were made before may have been missed.
        private func renew(_ state: inout State) throws -> [CacheChange] {
            let files = inboxes.files
            try files.remove(inboxes.own)
            try files.makeFolder(inboxes.path)
            guard let file = try files.create(inboxes.own) else {
                throw CacheError(.system, "Another program removes the folder \(inboxes.path). Stop that program.")
            }
            state.position = 0
            state.former = try file.status()
            return [.all]
        }
    }
}
