import Synchronization

/// The files of the bodies that are too large for a row.
///
/// A file is written once, under a unique name, before the row that names it, and removed after that row. So a killed
/// process leaves at worst a file without a row. Each open store holds a lock, and the names of its files begin with
/// the number of that lock. If the lock is free, no process is about to write the missing row.
final class Bodies: Sendable {
    private let place: Place
    private let files: FileSystem
    private let role: Role
    /// Nil if the store cannot be written to, and after it is closed.
    private let instance: Mutex<Instance?>
    private let count = Atomic<UInt32>(0)
    private let isFrozen: Bool
    private let isClosed = Atomic(false)

    /// A guest writes no bodies, and so has no instance that a kill could leave behind.
    ///
    /// - Parameter isFrozen: The folder cannot be written to.
    init(_ place: Place, _ files: FileSystem, role: Role, isFrozen: Bool = false) throws {
        self.place = place
        self.files = files
        self.role = role
        self.isFrozen = isFrozen
        let isWritable = role.isOwner && !isFrozen
        if isWritable {
            try files.makeFolder(place.bodies)
            try files.makeFolder(place.temporary)
        }
        instance = Mutex(isWritable ? try Instance(in: place, files) : nil)
    }

    /// Releases the lock that shows that the store is open.
    func close() {
        isClosed.store(true, ordering: .relaxed)
        instance.withLock { $0 = nil }
    }

    /// Creates the folders again after another process has removed them, and takes a new lock.
    private func restore() throws {
        guard instance.withLock({ $0 != nil }) else { throw CacheError.closed }
        try files.makeFolder(place.bodies)
        try files.makeFolder(place.temporary)
        try instance.withLock { instance in
            guard let former = instance, try files.status(former.path) == nil else { return }
            instance = try Instance(in: place, files)
        }
    }

    // MARK: Names

    /// Makes something with the unique number of a new file. If that returns nil, because another process has removed the
    /// folder, it is made once more, with another number.
    private func makeFile<Result>(_ make: (Int64) throws -> Result?) throws -> (number: Int64, result: Result) {
        for isRepeated in [false, true] {
            if isRepeated { try restore() }
            let number = try next()
            if let result = try make(number) { return (number, result) }
        }
        throw gone()
    }

    /// Returns a unique number for a new file.
    ///
    /// If another process has removed the lock, a new one is taken. Otherwise others would soon take the file for an abandoned one.
    func next() throws -> Int64 {
        if let lock = instance.withLock({ $0?.path }), try files.status(lock) == nil { try restore() }
        guard let number = instance.withLock({ $0?.number }) else {
            throw role.isOwner && !isFrozen ? CacheError.closed : CacheError.readOnly(place.folder)
        }
        let count = count.wrappingAdd(1, ordering: .relaxed).oldValue
        return Int64(bitPattern: UInt64(number) << 32 | UInt64(count))
    }

    func path(of file: Int64) -> String {
        place.bodies + "/" + UInt64(bitPattern: file).hexadecimal(16)
    }

    func temporaryPath(of file: Int64) -> String {
        place.temporary + "/" + UInt64(bitPattern: file).hexadecimal(16)
    }

    // MARK: Files

    func write(_ entry: CacheEntry, for key: CacheKey) throws -> Int64 {
        let (number, _) = try makeFile { number in
            try EntryFile.write(entry, for: key, to: temporaryPath(of: number), on: files) ? () : nil
        }
        try publish(number)
        return number
    }

    /// Returns the number of a new file and a writer for it in portions. It is published later.
    func writer(for key: CacheKey, _ entry: CacheEntry) throws -> (number: Int64, writer: EntryFile.Writer) {
        let (number, writer) = try makeFile { number in
            try EntryFile.Writer(entry, for: key, to: temporaryPath(of: number), on: files)
        }
        return (number, writer)
    }

    /// Moves a complete file to its final path.
    func publish(_ file: Int64) throws {
        let temporary = temporaryPath(of: file)
        do {
            if try files.rename(temporary, to: path(of: file)) { return }
            try restore()
            guard try files.rename(temporary, to: path(of: file)) else { throw gone() }
        } catch {
            _ = try? files.remove(temporary)
            throw error
        }
    }

    private func gone() -> CacheError {
        CacheError(.system, "The folder \(place.folder) was removed during a write. Try again.")
    }

    /// Removes files. The next sweep retries those that cannot be removed.
    func remove(_ numbers: [Int64]) {
        for number in numbers { _ = try? files.remove(path(of: number)) }
    }

    // MARK: Files of killed processes

    /// Removes files by their paths and returns their number. A failure does not stop the others.
    func remove(_ paths: [String]) -> Int {
        paths.count { path in (try? files.remove(path)) == true }
    }

    /// Returns the files whose store is no longer open: unfinished ones, and those that may have a row, with their number.
    func abandoned() throws -> [(path: String, file: Int64?)] {
        // The order matters: first list the files, then the open stores, and the caller then reads the rows. So a file
        // that is created meanwhile is not seen, and a row that is written meanwhile is.
        let bodies = try files.list(place.bodies) ?? []
        let temporary = try files.list(place.temporary) ?? []
        let own = instance.withLock { $0?.number }
        if isFrozen || isClosed.load(ordering: .relaxed) { return [] }
        let living = try Instance.living(in: place, files, own: own, role: role)
        func number(_ name: String) -> Int64? {
            guard name.utf8.count == 16, let file = UInt64(hexadecimal: name), !living.contains(UInt32(file >> 32))
            else { return nil }
            return Int64(bitPattern: file)
        }
        return temporary.filter { number($0) != nil }.map { (place.temporary + "/" + $0, nil) }
            + bodies.compactMap { name in number(name).map { (place.bodies + "/" + name, $0) } }
    }
}
