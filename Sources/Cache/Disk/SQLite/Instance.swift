/// An open store, shown by a locked file. The lock is free again when the process has ended, however it did.
final class Instance: Sendable {
    /// Unlike that of any other store which is open on the folder.
    let number: UInt32

    /// The file that is locked.
    var path: String { place.instances + "/" + number.name }

    private let place: Place
    private let files: FileSystem
    private let lock: FolderLock

    init(in place: Place, _ files: FileSystem) throws {
        try files.makeFolder(place.instances)
        // A sweep looks for free locks while it holds the lock of the folder, and so cannot come between the making of
        // this one and its taking.
        (number, lock) = try FolderLock.holding(place.lock) {
            while true {
                let number = UInt32.random(in: 1 ... .max)
                let path = place.instances + "/" + number.name
                if try files.status(path) == nil, let lock = try FolderLock.ifFree(path) { return (number, lock) }
            }
        }
        self.place = place
        self.files = files
    }

    deinit {
        // If this fails, the next store that looks finds the lock free.
        _ = try? files.remove(path)
    }

    /// The numbers of the stores that are open, here and in other processes.
    ///
    /// An instance that cannot be opened counts as open, because nothing shows that its process has ended: the process may
    /// belong to another user.
    ///
    /// - Parameters:
    ///   - own: The number of the store that asks, if it has one.
    ///   - role: An owner removes the files of stores that are not open any more, and makes the lock of the folder.
    static func living(in place: Place, _ files: FileSystem, own: UInt32?, role: Role) throws -> Set<UInt32> {
        try FolderLock.holding(place.lock, creates: role.isOwner) {
            var living: Set<UInt32> = own.map { [$0] } ?? []
            for name in try files.list(place.instances) ?? [] {
                guard let other = UInt32(name, radix: 16), other != own else { continue }
                let path = place.instances + "/" + name
                switch try? FolderLock.attempt(path, creates: false) {
                case .missing: continue
                case .held, nil: living.insert(other)
                case .taken(let lock):
                    guard role.isOwner else { continue }
                    _ = try withExtendedLifetime(lock) { try files.remove(path) }
                }
            }
            return living
        }
    }
}

extension FixedWidthInteger {
    /// The number in hexadecimal, with all its digits, as files are named.
    var name: String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: Self.bitWidth / 4 - text.utf8.count) + text
    }
}
