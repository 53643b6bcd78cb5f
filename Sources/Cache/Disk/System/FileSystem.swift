#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system calls on files and folders that a store needs.
///
/// A missing file is reported as nil or false and is no error. Interrupted calls are repeated. All other failures throw
/// a ``CacheError`` that names the path.
struct FileSystem: Sendable {
    /// A kind of call, for messages and for tests that make one fail.
    enum Call: Sendable {
        case open, create, read, write, status, rename, remove, list, makeFolder, protect

        /// A Boolean value that indicates whether the call changes anything.
        var changes: Bool {
            switch self {
            case .open, .read, .status, .list: false
            case .create, .write, .rename, .remove, .makeFolder, .protect: true
            }
        }

        /// The beginning of a message about the call.
        var phrase: String {
            switch self {
            case .open: "Opening"
            case .create: "Creating"
            case .read: "Reading"
            case .write: "Writing to"
            case .status: "Examining"
            case .rename: "Renaming a file to"
            case .remove: "Removing"
            case .list: "Listing"
            case .makeFolder: "Making the folder"
            case .protect: "Changing the mode or the owner of"
            }
        }
    }

    /// Called before each call, if a test has set it. Returns the `errno` to fail with, or nil.
    typealias Fault = @Sendable (_ call: Call, _ path: String) -> CInt?

    /// Makes the calls of one store fail. Nil outside tests.
    var fault: Fault?

    /// Reads may wait for the disk. If false, a read that would wait fails. Only Linux supports this.
    var mayWait = true

    /// Opens a file for reading. Returns nil if there is none.
    ///
    /// A pipe is opened without waiting for its other end. Its status then shows that it is not a file.
    func open(_ path: String) throws -> File? {
        let descriptor = try perform(.open, path) { self.system(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) }
        return descriptor.map { File(descriptor: $0, path: path, on: self) }
    }

    /// Creates a file that only this user can read, for writing. Returns nil if its folder is missing.
    func create(_ path: String) throws -> File? {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = try perform(.create, path) { self.system(path, flags, 0o600) }
        return descriptor.map { File(descriptor: $0, path: path, on: self) }
    }

    /// Renames a file, and replaces an existing one. Returns false if the file or the new folder is missing.
    func rename(_ old: String, to new: String) throws -> Bool {
        #if canImport(Darwin)
            try perform(.rename, new) { Darwin.rename(old, new) } != nil
        #elseif canImport(Glibc)
            try perform(.rename, new) { Glibc.rename(old, new) } != nil
        #else
            try perform(.rename, new) { Musl.rename(old, new) } != nil
        #endif
    }

    /// Removes a file. Returns false if there was none.
    @discardableResult
    func remove(_ path: String) throws -> Bool {
        try perform(.remove, path) { unlink(path) } != nil
    }

    /// Returns the status of a file, or nil if there is none.
    ///
    /// - Parameter isFollowed: Follows a symbolic link.
    func status(_ path: String, following isFollowed: Bool = false) throws -> FileStatus? {
        var status = stat()
        return try perform(.status, path) { isFollowed ? stat(path, &status) : lstat(path, &status) }
            .map { _ in FileStatus(status) }
    }

    /// Removes all permissions of users other than the owner.
    func protect(_ path: String) throws {
        _ = try perform(.protect, path) { chmod(path, 0o600) }
    }

    /// Gives a file, or a link itself, to the owner of another.
    func give(_ path: String, to other: FileStatus) throws {
        _ = try perform(.protect, path) { lchown(path, other.owner, other.group) }
    }

    /// Returns the names in a folder, in no particular order, or nil if there is no such folder.
    func list(_ path: String) throws -> [String]? {
        if let number = fault?(.list, path) { throw CacheError(number, .list, path) }
        guard let folder = opendir(path) else {
            let number = errno
            if number == ENOENT || number == ENOTDIR { return nil }
            throw CacheError(number, .list, path)
        }
        defer { closedir(folder) }
        var names: [String] = []
        while let item = readdir(folder) {
            let name = withUnsafePointer(to: &item.pointee.d_name) { name in
                String(cString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Creates a folder that only this user can read, and those above it. Does nothing if it exists.
    func makeFolder(_ path: String) throws {
        if let number = fault?(.makeFolder, path) { throw CacheError(number, .makeFolder, path) }
        if mkdir(path, 0o700) == 0 { return }
        let number = errno
        switch number {
        case EEXIST: return
        case ENOENT:
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { break }
            try makeFolder(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        default: break
        }
        throw CacheError(number, .makeFolder, path)
    }

    /// Calls `open`, which takes a variable number of arguments and has the name of a method.
    private func system(_ path: String, _ flags: CInt, _ permissions: mode_t) -> CInt {
        #if canImport(Darwin)
            Darwin.open(path, flags, permissions)
        #elseif canImport(Glibc)
            Glibc.open(path, flags, permissions)
        #else
            Musl.open(path, flags, permissions)
        #endif
    }

    /// Repeats a call until it is not interrupted. Returns nil if a part of the path is missing.
    private func perform(_ call: Call, _ path: String, _ work: () -> CInt) throws -> CInt? {
        if let number = fault?(call, path) { throw CacheError(number, call, path) }
        while true {
            let result = work()
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case ENOENT: return nil
            case let number: throw CacheError(number, call, path)
            }
        }
    }
}
