/// That a store is open, said by a locked file, which is free again when the process has ended, however it did.
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
        // Whoever looks for locks that are free holds the lock of the folder, and so cannot come between the making of
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

    /// The stores that are open, here and in other processes. The files of the others are removed.
    func living() throws -> Set<UInt32> {
        try FolderLock.holding(place.lock) {
            var living: Set<UInt32> = [number]
            for name in try files.list(place.instances) ?? [] {
                guard let other = UInt32(name, radix: 16), other != number else { continue }
                let path = place.instances + "/" + name
                if let lock = try FolderLock.ifFree(path) {
                    _ = try withExtendedLifetime(lock) { try files.remove(path) }
                } else {
                    living.insert(other)
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
