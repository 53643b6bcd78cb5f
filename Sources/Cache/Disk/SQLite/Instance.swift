/// An open store, represented by a locked file. The lock is released when the process ends, even by a kill.
final class Instance: Sendable {
    /// A number that is unique among the stores that are open on the folder.
    let number: UInt32

    var path: String { place.instances + "/" + UInt64(number).hexadecimal(8) }

    private let place: Place
    private let files: FileSystem
    private let lock: FileLock

    init(in place: Place, _ files: FileSystem) throws {
        try files.makeFolder(place.instances)
        // A sweep looks for free locks while it holds the lock of the folder. So it cannot run between the creation of
        // this file and its locking.
        (number, lock) = try FileLock.holding(place.lock, on: files) {
            while true {
                let number = UInt32.random(in: 1 ... .max)
                let path = place.instances + "/" + UInt64(number).hexadecimal(8)
                if try files.status(path) == nil, let lock = try FileLock.ifFree(path, on: files) {
                    return (number, lock)
                }
            }
        }
        self.place = place
        self.files = files
    }

    deinit {
        // If this fails, the next store finds the lock free.
        _ = try? files.remove(path)
    }

    /// Returns the numbers of the stores that are open, here and in other processes.
    ///
    /// An instance that cannot be opened counts as open: its process may belong to another user and still run.
    ///
    /// - Parameters:
    ///   - own: The number of the calling store, if it has one.
    ///   - role: An owner removes the files of stores that are no longer open, and creates the lock of the folder.
    static func living(in place: Place, _ files: FileSystem, own: UInt32?, role: Role) throws -> Set<UInt32> {
        try FileLock.holding(place.lock, creates: role.isOwner, on: files) {
            var living: Set<UInt32> = own.map { [$0] } ?? []
            for name in try files.list(place.instances) ?? [] {
                guard let other = UInt64(hexadecimal: name).flatMap(UInt32.init(exactly:)), other != own else {
                    continue
                }
                let path = place.instances + "/" + name
                switch try? FileLock.attempt(path, creates: false, on: files) {
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

/// Numbers in lowercase hexadecimal with all digits, as used in file names.
extension UInt64 {
    init?(hexadecimal text: String) {
        guard (1...16).contains(text.utf8.count) else { return nil }
        self = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): self = self << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): self = self << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
    }

    @inline(never)
    func hexadecimal(_ digits: Int) -> String {
        let text = String(self, radix: 16)
        return String(repeating: "0", count: digits - text.utf8.count) + text
    }
}
