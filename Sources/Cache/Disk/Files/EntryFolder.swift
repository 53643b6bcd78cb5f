/// The folder of the files of entries: `entries/<2 digits>/<16 digits>`, named after the digest of the key.
///
/// A file is written in `temporary` and then renamed, so that no reader sees an incomplete file. Missing folders are
/// created on demand. Other files are left alone.
struct EntryFolder: Sendable {
    /// A file found by a scan.
    struct Found: Sendable {
        var place: Place
        var status: FileStatus
    }

    /// The path of the file of a key.
    struct Place: Hashable, Sendable {
        /// The number of its folder, from 0 to 255.
        var shard: Int
        var path: String
    }

    let path: String
    let files: FileSystem

    /// The version of the application that fills the folder.
    var version: Int64 = 0

    /// The folder of the entries.
    var entries: String { path + "/entries" }

    /// Returns the path for the file of a key.
    func place(of key: CacheKey) -> Place {
        let name = Self.hexadecimal(key.digest)
        return Place(shard: Int(key.digest >> 56), path: "\(path)/entries/\(name.prefix(2))/\(name)")
    }

    /// Creates a file in `temporary` and returns it with its path. The closure returns nil if the folder is missing.
    func create<Made>(_ make: (_ path: String) throws -> Made?) throws -> (made: Made, path: String) {
        for _ in 1...3 {
            let path = "\(path)/temporary/\(Self.hexadecimal(.random(in: .min ... .max)))"
            if let made = try make(path) { return (made, path) }
            try files.makeFolder("\(self.path)/temporary")
        }
        throw CacheError(.system, "Another program removes the folder \(path) at once. Stop that program.")
    }

    /// Moves a file to its final path. Returns false if another process has removed the file.
    func publish(_ temporary: String, at place: Place) throws -> Bool {
        if try files.rename(temporary, to: place.path) { return true }
        try files.makeFolder("\(path)/entries/\(Self.name(place.shard))")
        // Another process may have removed the whole folder, and the version file with it.
        if version != 0, try files.status("\(path)/version") == nil { try VersionFile(folder: self).write(version) }
        return try files.rename(temporary, to: place.path)
    }

    /// Returns the path at which a finished file waits while the history is read.
    func pending(_ temporary: String) -> String {
        "\(path)/temporary/p\(temporary.suffix(16))"
    }

    /// Returns the paths of the files that wait.
    func pendings() throws -> [String] {
        let folder = "\(path)/temporary"
        return (try files.list(folder) ?? []).filter(Self.isPending).map { "\(folder)/\($0)" }
    }

    private static func isPending(_ name: String) -> Bool {
        name.hasPrefix("p") && isDigits(String(name.dropFirst()), 16)
    }

    /// Returns the numbers of the existing folders.
    func shards() throws -> [Int] {
        let names = try files.list("\(path)/entries") ?? []
        return names.compactMap { name in Self.isDigits(name, 2) ? Int(name, radix: 16) : nil }.sorted()
    }

    /// Returns the files of entries in one folder.
    func scan(_ shard: Int) throws -> [Found] {
        let prefix = Self.name(shard)
        let folder = "\(path)/entries/\(prefix)"
        return try (files.list(folder) ?? []).compactMap { name in
            guard Self.isDigits(name, 16), name.hasPrefix(prefix) else { return nil }
            let path = "\(folder)/\(name)"
            guard let status = try files.status(path), status.isRegular else { return nil }
            return Found(place: Place(shard: shard, path: path), status: status)
        }
    }

    /// Returns the files of all entries.
    func scan() throws -> [Found] {
        try shards().flatMap { shard in try scan(shard) }
    }

    /// Returns the paths of the temporary files for which a condition holds.
    func temporaries(where condition: (FileStatus) -> Bool) throws -> [String] {
        let folder = "\(path)/temporary"
        return try (files.list(folder) ?? []).compactMap { name in
            let path = "\(folder)/\(name)"
            guard Self.isDigits(name, 16) || Self.isPending(name), let status = try files.status(path) else {
                return nil
            }
            return status.isRegular && condition(status) ? path : nil
        }
    }

    /// Removes the temporary files for which a condition holds, and returns their number.
    func sweep(where condition: (FileStatus) -> Bool) throws -> Int {
        try temporaries(where: condition).reduce(0) { count, path in try files.remove(path) ? count + 1 : count }
    }

    private static func name(_ shard: Int) -> String {
        String(hexadecimal(UInt64(shard)).suffix(2))
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { digits in
            for position in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * position)) & 15
                digits[position] = digit < 10 ? 48 + digit : 87 + digit
            }
            return 16
        }
    }

    private static func isDigits(_ name: String, _ count: Int) -> Bool {
        name.utf8.count == count && name.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
    }
}
