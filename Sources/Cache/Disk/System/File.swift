#if os(Linux)
    import TangoCLinux
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An open file. It is closed when it goes out of scope.
///
/// Short reads and writes are continued, and interrupted ones repeated. All other failures throw a ``CacheError``.
struct File: ~Copyable, Sendable {
    /// The highest number of bytes in one call. Some systems reject more.
    private static let most = 1 << 30

    private let descriptor: CInt
    private let path: String
    private let fault: FileSystem.Fault?

    /// Reads may wait for the disk.
    private let mayWait: Bool

    init(descriptor: CInt, path: String, on files: FileSystem) {
        self.descriptor = descriptor
        self.path = path
        fault = files.fault
        mayWait = files.mayWait
    }

    deinit {
        close(descriptor)
    }

    /// Returns the status of the file.
    func status() throws -> FileStatus {
        var status = stat()
        _ = try perform(.status) { Int(fstat(descriptor, &status)) }
        return FileStatus(status)
    }

    /// Fills a buffer from an offset and returns the number of bytes read, which is lower only at the end of the file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
        try repeatedly(buffer) { start, count, done in
            var part = iovec(iov_base: start, iov_len: .init(count))
            return mayWait
                ? pread(descriptor, start, count, off_t(offset + done)) : readAtOnce(&part, 1, at: offset + done)
        }
    }

    /// Fills two buffers from an offset, in one call if possible, and returns the number of bytes read.
    func read(
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
                    return mayWait
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

    /// Writes all bytes at the current position.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
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
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
        let buffer = UnsafeMutableRawBufferPointer(mutating: bytes)
        _ = try repeatedly(buffer, .write) { start, count, done in
            pwrite(descriptor, start, count, off_t(offset + done))
        }
    }

    /// Writes three pieces one after the other, in one call if possible.
    func write(
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
        _ buffer: UnsafeMutableRawBufferPointer, _ call: FileSystem.Call = .read,
        _ work: (UnsafeMutableRawPointer, Int, Int) -> Int
    ) throws -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = try perform(call) { work(start + done, min(buffer.count - done, Self.most), done) }
            if count == 0 {
                if call == .write { throw CacheError(ENOSPC, call, path) }
                break
            }
            done += count
        }
        return done
    }

    /// Repeats a call until it is not interrupted.
    private func perform(_ call: FileSystem.Call, _ work: () -> Int) throws -> Int {
        if let number = fault?(call, path) { throw CacheError(number, call, path) }
        while true {
            let result = work()
            if result >= 0 { return result }
            let number = errno
            if number != EINTR { throw CacheError(number, call, path) }
        }
    }
}
