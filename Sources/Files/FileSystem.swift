import TangoPlatform

/// The system calls on files and folders.
///
/// A missing file is reported as nil or false and is no error, unless a function says so. Interrupted calls are repeated.
/// All other failures throw the error of the module that uses the file.
package struct FileSystem: Sendable {
    /// Called before each call, if a test has set it. Returns the `errno` to fail with, or nil.
    ///
    /// The offset is that of a write, and zero for other calls.
    package typealias Fault = @Sendable (_ call: FileFailure.Call, _ path: String, _ offset: Int) -> CInt?

    /// The use of an opened file.
    package enum Access: Sendable {
        case reading
        /// Writes to an existing file.
        case overwriting
        /// Reads and writes. A missing file is created with permissions. A link is not followed.
        case changing(permissions: UInt16)
        /// Writes a new file. An existing one is emptied. A link is not followed.
        case replacing(permissions: UInt16)
        /// Reads and writes a new file, that only this user can read. It must not exist.
        case creating

        fileprivate var flags: CInt {
            switch self {
            // Without O_NONBLOCK, opening a pipe waits for its other end.
            case .reading: O_RDONLY | O_NONBLOCK
            case .overwriting: O_WRONLY | O_NONBLOCK | O_NOFOLLOW
            case .changing: O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW
            case .replacing: O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
            case .creating: O_RDWR | O_CREAT | O_EXCL
            }
        }

        fileprivate var permissions: mode_t {
            switch self {
            case .changing(let permissions), .replacing(let permissions): mode_t(permissions)
            case .reading, .overwriting, .creating: 0o600
            }
        }

        fileprivate var call: FileFailure.Call {
            switch self {
            case .reading, .overwriting: .open
            case .changing, .replacing, .creating: .create
            }
        }
    }

    /// Makes calls fail. Nil outside tests.
    package var fault: Fault?

    /// Reads may wait for the disk. If false, a read that would wait fails. Only Linux supports this.
    package var mayWait = true

    private let error: @Sendable (FileFailure) -> any Error

    /// - Parameter error: Returns the error to throw for a failure.
    package init(error: @escaping @Sendable (FileFailure) -> any Error, fault: Fault? = nil) {
        self.fault = fault
        self.error = error
    }

    // MARK: Files

    /// Opens a file. Returns nil if it or its folder is missing.
    ///
    /// A pipe is opened without waiting for its other end. Its status then shows that it is not a file.
    package func open(_ path: String, for access: Access = .reading) throws -> File? {
        try descriptor(path, access).map { File(descriptor: $0, path: path, on: self) }
    }

    /// Creates a file that only this user can read. Returns nil if its folder is missing.
    package func create(_ path: String) throws -> File? {
        try open(path, for: .creating)
    }

    /// Opens a file. A missing one, or a missing folder, is a failure.
    package func require(_ path: String, for access: Access = .reading) throws -> File {
        guard let file = try open(path, for: access) else { throw failure(ENOENT, access.call, path) }
        return file
    }

    private func descriptor(_ path: String, _ access: Access) throws -> CInt? {
        try perform(access.call, path) {
            #if canImport(Darwin)
                Darwin.open(path, access.flags | O_CLOEXEC, access.permissions)
            #elseif canImport(Glibc)
                Glibc.open(path, access.flags | O_CLOEXEC, access.permissions)
            #else
                Musl.open(path, access.flags | O_CLOEXEC, access.permissions)
            #endif
        }
    }

    /// Renames a file, and replaces an existing one. Returns false if the file or the new folder is missing.
    package func rename(_ old: String, to new: String) throws -> Bool {
        #if canImport(Darwin)
            try perform(.rename, new) { Darwin.rename(old, new) } != nil
        #elseif canImport(Glibc)
            try perform(.rename, new) { Glibc.rename(old, new) } != nil
        #else
            try perform(.rename, new) { Musl.rename(old, new) } != nil
        #endif
    }

    /// Renames a file, and replaces an existing one. A missing file is a failure.
    package func move(_ old: String, to new: String) throws {
        guard try rename(old, to: new) else { throw failure(ENOENT, .rename, new) }
    }

    /// Renames a file unless a file has the new name already. Then it returns false.
    package func moveIfFree(_ old: String, to new: String) throws -> Bool {
        if let number = fault?(.rename, new, 0) { throw failure(number, .rename, new) }
        if systemLink(old, new) == 0 {
            unlink(old)
            return true
        }
        switch errno {
        case EEXIST: return false
        // The file system has no second names: there, another process may take the name in between.
        case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS:
            guard access(new, F_OK) != 0 else { return false }
            try move(old, to: new)
            return true
        case let number: throw failure(number, .rename, new)
        }
    }

    /// Gives a file a second name.
    package func link(_ old: String, to new: String) throws {
        guard try perform(.rename, new, { systemLink(old, new) }) != nil else { throw failure(ENOENT, .rename, new) }
    }

    /// Removes a file. Returns false if there was none.
    @discardableResult
    package func remove(_ path: String) throws -> Bool {
        try perform(.remove, path) { unlink(path) } != nil
    }

    /// Returns the status of a file, or nil if there is none.
    ///
    /// - Parameter isFollowed: Follows a symbolic link.
    package func status(_ path: String, following isFollowed: Bool = false) throws -> FileStatus? {
        var status = stat()
        return try perform(.status, path) { isFollowed ? stat(path, &status) : lstat(path, &status) }
            .map { _ in FileStatus(status) }
    }

    /// Removes all permissions of users other than the owner.
    package func protect(_ path: String) throws {
        _ = try perform(.protect, path) { chmod(path, 0o600) }
    }

    /// Gives a file, or a link itself, to the owner of another.
    package func give(_ path: String, to other: FileStatus) throws {
        _ = try perform(.protect, path) { lchown(path, other.owner, other.group) }
    }

    // MARK: Folders

    /// Returns the names in a folder, in no particular order, or nil if there is no such folder.
    package func list(_ path: String) throws -> [String]? {
        if let number = fault?(.list, path, 0) { throw failure(number, .list, path) }
        guard let folder = opendir(path) else {
            let number = errno
            if number == ENOENT || number == ENOTDIR { return nil }
            throw failure(number, .list, path)
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
    package func makeFolder(_ path: String) throws {
        if let number = fault?(.makeFolder, path, 0) { throw failure(number, .makeFolder, path) }
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
        throw failure(number, .makeFolder, path)
    }

    // MARK: Failures

    func failure(_ number: CInt, _ call: FileFailure.Call, _ path: String) -> any Error {
        error(FileFailure(number, call, path))
    }

    /// Repeats a call until it is not interrupted. Returns nil if a part of the path is missing.
    private func perform(_ call: FileFailure.Call, _ path: String, _ work: () -> CInt) throws -> CInt? {
        if let number = fault?(call, path, 0) { throw failure(number, call, path) }
        while true {
            let result = work()
            if result >= 0 { return result }
            switch errno {
            case EINTR: continue
            case ENOENT: return nil
            case let number: throw failure(number, call, path)
            }
        }
    }
}

/// Calls `link`, which has the name of a method.
private func systemLink(_ old: String, _ new: String) -> CInt { link(old, new) }
