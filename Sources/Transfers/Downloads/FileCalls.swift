#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system calls of downloads, as throwing functions.
enum FileCalls {
    /// A call that a test lets fail.
    enum Name: Sendable {
        case open, write, synchronize, rename
    }

    /// Returns the error number with which a call fails; nil to run the call. The number is that of the bytes so far,
    /// for a write. Tests set it.
    @TaskLocal static var fault: (@Sendable (Name, Int) -> CInt?)?

    /// A call that failed.
    struct Failure: Error {
        let number: CInt
        let action: String
        let path: String

        /// A Boolean value that indicates whether the file or its folder does not exist.
        var isMissing: Bool { number == ENOENT }

        /// The error for the caller of a download.
        var error: RequestError {
            let (code, advice): (RequestError.Code, String) =
                switch number {
                case ENOSPC, EDQUOT:
                    (.diskFull, "make room, then start the download again, which continues if the server allows it")
                case EFBIG:
                    (
                        .cannotWriteFile,
                        "the file would be larger than its file system or a limit of the process allows: choose "
                            + "another folder or raise the limit, then start the download again"
                    )
                case EMFILE, ENFILE, ENOMEM: (.outOfResources, "limit the number of calls in flight")
                default: (.cannotWriteFile, "check the folder and its permissions")
                }
            // The file is opened before anything is sent.
            return RequestError(
                code, phase: action == "opening" ? .prepare : .receive,
                detail: "\(action) \(path.debugDescription) failed (\(String(cString: strerror(number)))): \(advice)")
        }
    }

    private static func check(_ name: Name, _ count: Int, _ action: String, _ path: String) throws(Failure) {
        guard let number = fault?(name, count) else { return }
        throw Failure(number: number, action: action, path: path)
    }

    /// Opens a file for reading and writing, and creates it if there is none.
    static func open(_ path: String, permissions: UInt16?) throws(Failure) -> CInt {
        try check(.open, 0, "opening", path)
        while true {
            let descriptor = systemOpen(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, permissions ?? 0o666)
            if descriptor >= 0 { return descriptor }
            guard errno == EINTR else { throw Failure(number: errno, action: "opening", path: path) }
        }
    }

    private static func systemOpen(_ path: String, _ flags: CInt, _ permissions: UInt16) -> CInt {
        #if canImport(Darwin)
            Darwin.open(path, flags, mode_t(permissions))
        #elseif canImport(Glibc)
            Glibc.open(path, flags, mode_t(permissions))
        #else
            Musl.open(path, flags, mode_t(permissions))
        #endif
    }

    /// Locks a file for this descriptor, until it is closed. Returns false if another descriptor has the lock.
    ///
    /// A file system without locks counts as one on which nothing else is locked.
    static func lock(_ descriptor: CInt) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            return errno != EWOULDBLOCK
        }
        return true
    }

    /// Returns whether a path names the file of a descriptor.
    static func names(_ path: String, _ descriptor: CInt) -> Bool {
        var one = stat()
        var other = stat()
        return lstat(path, &one) == 0 && fstat(descriptor, &other) == 0 && one.st_ino == other.st_ino
            && one.st_dev == other.st_dev
    }

    /// Returns whether the file of a descriptor has a second name.
    static func hasOtherName(_ descriptor: CInt) -> Bool {
        var facts = stat()
        return fstat(descriptor, &facts) == 0 && facts.st_nlink > 1
    }

    /// The time of the last change of a file, in seconds since 1970; nil if there is none.
    static func changed(_ path: String) -> Double? {
        var facts = stat()
        guard lstat(path, &facts) == 0 else { return nil }
        #if canImport(Darwin)
            return Double(facts.st_mtimespec.tv_sec)
        #else
            return Double(facts.st_mtim.tv_sec)
        #endif
    }

    static func size(_ descriptor: CInt, _ path: String) throws(Failure) -> Int {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw Failure(number: errno, action: "reading", path: path) }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw Failure(number: EINVAL, action: "opening", path: path) }
        return Int(facts.st_size)
    }

    static func truncate(_ descriptor: CInt, to size: Int, _ path: String) throws(Failure) {
        while ftruncate(descriptor, off_t(size)) != 0 {
            guard errno == EINTR else { throw Failure(number: errno, action: "writing", path: path) }
        }
    }

    /// Writes bytes at an offset, and adds the number of written ones to `count`, also if the call fails half-way.
    static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: CInt, count: inout Int, _ path: String
    ) throws(Failure) {
        var rest = bytes
        while !rest.isEmpty {
            try check(.write, count, "writing", path)
            let written = pwrite(descriptor, rest.baseAddress, rest.count, off_t(count))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else {
                throw Failure(number: written == 0 ? EIO : errno, action: "writing", path: path)
            }
            count += written
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    /// Replaces the text of a file in one step: the text is written to a new file, which then gets the name.
    ///
    /// Only one caller at a time may use the name of the new file. Returns false if a call fails.
    static func replaceText(_ path: String, with text: Data, by new: String) -> Bool {
        let descriptor = systemOpen(new, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
        guard descriptor >= 0 else { return false }
        let isWritten = text.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == text.count
        close(descriptor)
        if isWritten, systemRename(new, path) == 0 { return true }
        unlink(new)
        return false
    }

    /// Writes a JSON text of at most a page over that of an existing file, in one call. It needs no room on the disk.
    ///
    /// Blanks stand in place of the rest of a longer text. Returns false if the call fails.
    static func overwrite(_ path: String, _ text: Data) -> Bool {
        let descriptor = systemOpen(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard let size = try? size(descriptor, path), max(size, text.count) <= 4096 else { return false }
        let padded = text + Data(repeating: UInt8(ascii: " "), count: max(0, size - text.count))
        return padded.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) } == padded.count
    }

    /// Reads bytes at an offset. Returns fewer only at the end of the file.
    static func read(
        _ descriptor: CInt, into buffer: UnsafeMutableRawBufferPointer, at offset: Int, _ path: String
    ) throws(Failure) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = pread(
                descriptor, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(number: errno, action: "reading", path: path) }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    static func setPermissions(_ descriptor: CInt, _ permissions: UInt16, _ path: String) throws(Failure) {
        guard fchmod(descriptor, mode_t(permissions)) == 0 else {
            throw Failure(number: errno, action: "setting the permissions of", path: path)
        }
    }

    /// Returns once the bytes of a file are on the disk, so that they survive a loss of power.
    ///
    /// A file system that cannot do this is no reason to fail.
    static func synchronize(_ descriptor: CInt, _ path: String) throws(Failure) {
        try check(.synchronize, 0, "writing", path)
        while fsync(descriptor) != 0 {
            switch errno {
            case EINTR: continue
            case EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS: return
            default: throw Failure(number: errno, action: "writing", path: path)
            }
        }
    }

    /// Renames a file, and replaces one that has the new name.
    static func rename(_ path: String, to target: String) throws(Failure) {
        try check(.rename, 0, "renaming a file to", target)
        guard systemRename(path, target) == 0 else {
            throw Failure(number: errno, action: "renaming a file to", path: target)
        }
    }

    private static func systemRename(_ path: String, _ target: String) -> CInt {
        #if canImport(Darwin)
            Darwin.rename(path, target)
        #elseif canImport(Glibc)
            Glibc.rename(path, target)
        #else
            Musl.rename(path, target)
        #endif
    }

    /// Renames a file unless a file has the new name already. Then it returns false.
    static func renameIfFree(_ path: String, to target: String) throws(Failure) -> Bool {
        try check(.rename, 0, "renaming a file to", target)
        if link(path, target) == 0 {
            unlink(path)
            return true
        }
        switch errno {
        case EEXIST: return false
        // The file system has no second names: there, another process may take the name in between.
        case EPERM, ENOTSUP, EOPNOTSUPP, EMLINK, ENOSYS:
            guard access(target, F_OK) != 0 else { return false }
            try rename(path, to: target)
            return true
        default: throw Failure(number: errno, action: "renaming a file to", path: target)
        }
    }

    static func remove(_ path: String) {
        unlink(path)
    }

    static func removeIfThere(_ path: String) throws(Failure) {
        guard unlink(path) != 0, errno != ENOENT else { return }
        throw Failure(number: errno, action: "removing", path: path)
    }

    /// Returns whether a path names a folder; nil if it names nothing.
    static func isFolder(_ path: String) -> Bool? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        return facts.st_mode & S_IFMT == S_IFDIR
    }

    static func close(_ descriptor: CInt) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Glibc)
            _ = Glibc.close(descriptor)
        #else
            _ = Musl.close(descriptor)
        #endif
    }
}
