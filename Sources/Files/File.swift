import TangoPlatform

#if os(Linux)
    import TangoCLinux
#endif

/// An open file. It is closed when it goes out of scope.
///
/// Short reads and writes are continued, and interrupted ones repeated. All other failures throw the error of the module
/// that uses the file.
package struct File: ~Copyable, Sendable {
    /// The highest number of bytes in one call. Some systems reject more.
    private static let most = 1 << 30

    private let descriptor: CInt
    private let path: String
    private let files: FileSystem

    init(descriptor: CInt, path: String, on files: FileSystem) {
        self.descriptor = descriptor
        self.path = path
        self.files = files
    }

    deinit {
        close(descriptor)
    }

    // MARK: Status

    /// Returns the status of the file.
    package func status() throws -> FileStatus {
        var status = stat()
        _ = try perform(.status) { Int(fstat(descriptor, &status)) }
        return FileStatus(status)
    }

    /// Returns whether this file still has a path.
    package func isStill(at path: String) -> Bool {
        guard let own = FileStatus(of: descriptor) else { return false }
        return FileStatus(of: path, following: false)?.identity == own.identity
    }

    package func setPermissions(_ permissions: UInt16) throws {
        _ = try perform(.protect) { Int(fchmod(descriptor, mode_t(permissions))) }
    }

    /// Locks the file until it is closed. Returns false if another process, or another object of this one, has the lock.
    package func lock() throws -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            if errno != EINTR { throw files.failure(errno, .lock, path) }
        }
        return true
    }

    /// Releases the lock. Closing alone does not while another thread starts a process, which has a copy of the descriptor
    /// until it runs its program.
    package func unlock() {
        flock(descriptor, LOCK_UN)
    }

    // MARK: Reading

    /// Returns the bytes from the start to the end, but at most a number of them.
    package func read(upTo limit: Int = .max) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit {
            let most = min(64 << 10, limit - bytes.count)
            let portion = try [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
                count = try read(into: UnsafeMutableRawBufferPointer(buffer), at: bytes.count)
            }
            bytes += portion
            if portion.count < most { break }
        }
        return bytes
    }

    /// Fills a buffer from an offset and returns the number of bytes read, which is lower only at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try repeatedly(buffer) { start, count, done in
            var part = iovec(iov_base: start, iov_len: .init(count))
            return files.mayWait
                ? pread(descriptor, start, count, off_t(offset + done)) : readAtOnce(&part, 1, at: offset + done)
        }
    }

    /// Fills two buffers from an offset, in one call if possible, and returns the number of bytes read.
    package func read(
        into first: UnsafeMutableRawBufferPointer, and second: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws -> Int {
        guard !first.isEmpty else { return try read(into: second, at: offset) }
        var count = 0
        if !second.isEmpty, first.count <= Self.most - second.count {
            count = try perform(.read) {
                withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
                    parts.initializeElement(at: 0, to: iovec(iov_base: first.baseAddress, iov_len: .init(first.count)))
                    parts.initializeElement(
                        at: 1, to: iovec(iov_base: second.baseAddress, iov_len: .init(second.count)))
                    return files.mayWait
                        ? preadv(descriptor, parts.baseAddress, 2, off_t(offset))
                        : readAtOnce(parts.baseAddress, 2, at: offset)
                }
            }
        }
        if count < first.count {
            count += try read(into: UnsafeMutableRawBufferPointer(rebasing: first[count...]), at: offset + count)
            if count < first.count { return count }
        }
        let rest = UnsafeMutableRawBufferPointer(rebasing: second[(count - first.count)...])
        return try count + read(into: rest, at: offset + count)
    }

    /// Reads from the page cache. Fails with `EAGAIN` if it would have to wait for the disk.
    private func readAtOnce(_ parts: UnsafePointer<iovec>?, _ count: CInt, at offset: Int) -> Int {
        #if os(Linux)
            tango_read_at_once(descriptor, parts, count, Int64(offset))
        #else
            errno = EAGAIN
            return -1
        #endif
    }

    // MARK: Writing

    /// Writes all bytes at the current position.
    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        let buffer = UnsafeMutableRawBufferPointer(mutating: bytes)
        _ = try repeatedly(buffer, .write) { start, count, _ in
            #if canImport(Darwin)
                Darwin.write(descriptor, start, count)
            #elseif canImport(Glibc)
                Glibc.write(descriptor, start, count)
            #else
                Musl.write(descriptor, start, count)
            #endif
        }
    }

    /// Writes all bytes at an offset.
    package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        var end = offset
        try write(bytes, upTo: &end)
    }

    /// Writes all bytes at an offset, and moves it to the end of the written ones, also if this fails half-way.
    package func write(_ bytes: UnsafeRawBufferPointer, upTo end: inout Int) throws {
        let (buffer, offset) = (UnsafeMutableRawBufferPointer(mutating: bytes), end)
        _ = try repeatedly(buffer, .write, at: offset) { start, count, done in
            let written = pwrite(descriptor, start, count, off_t(offset + done))
            end += max(0, written)
            return written
        }
    }

    package func truncate(to size: Int = 0) throws {
        _ = try perform(.write) { Int(ftruncate(descriptor, off_t(size))) }
    }

    /// Returns once the bytes are on the disk, so that they survive a loss of power.
    ///
    /// A file system that cannot do this is no reason to fail.
    package func synchronize() throws {
        _ = try perform(.synchronize) {
            if fsync(descriptor) == 0 { return 0 }
            return [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(errno) ? 0 : -1
        }
    }

    /// Writes three pieces one after the other, in one call if possible.
    package func write(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
    ) throws {
        let total = first.count + third.count
        guard second.count <= Self.most - total else {
            try write(first)
            try write(second)
            return try write(third)
        }
        let count = try perform(.write) {
            withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { parts in
                var used = 0
                for part in [first, second, third] where !part.isEmpty {
                    let start = UnsafeMutableRawPointer(mutating: part.baseAddress)
                    parts.initializeElement(at: used, to: iovec(iov_base: start, iov_len: .init(part.count)))
                    used += 1
                }
                return used == 0 ? 0 : writev(descriptor, parts.baseAddress, CInt(used))
            }
        }
        var done = count
        for part in [first, second, third] {
            if done < part.count { try write(UnsafeRawBufferPointer(rebasing: part[done...])) }
            done = max(0, done - part.count)
        }
    }

    /// Repeats a call until the buffer is done or no more bytes come.
    private func repeatedly(
        _ buffer: UnsafeMutableRawBufferPointer, _ call: FileFailure.Call = .read, at offset: Int = 0,
        _ work: (UnsafeMutableRawPointer, Int, Int) -> Int
    ) throws -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = try perform(call, at: offset + done) {
                work(start + done, min(buffer.count - done, Self.most), done)
            }
            if count == 0 {
                if call == .write { throw files.failure(ENOSPC, call, path) }
                break
            }
            done += count
        }
        return done
    }

    /// Repeats a call until it is not interrupted.
    private func perform(_ call: FileFailure.Call, at offset: Int = 0, _ work: () -> Int) throws -> Int {
        if let number = files.fault?(call, path, offset) { throw files.failure(number, call, path) }
        while true {
            let result = work()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw files.failure(number, call, path) }
        }
    }
}
