import Synchronization
import TangoPlatform

/// Writes to a file descriptor, on threads that may wait.
///
/// No write blocks: a descriptor that is full is waited for together with a pipe, by which ``cancel()`` ends the wait. So
/// after a cancellation, no thread uses the descriptor.
final class DescriptorWriter: Sendable {
    /// The way in which a descriptor is written to without blocking.
    private enum Kind {
        /// A file on a disk, which accepts all bytes.
        case file
        /// A socket, which has writes of its own that do not block.
        case socket
        /// A pipe or a device that blocks. If it is ready, it accepts as many bytes as a pipe writes at once.
        case blocking
        /// A pipe or a device that does not block.
        case nonBlocking
    }

    private let descriptor: Int32
    private let kind: Kind
    /// The pipe that ends a wait; nil for a descriptor that is never waited for.
    private let alarm: Alarm?

    init(_ descriptor: Int32) throws {
        self.descriptor = descriptor
        kind = Self.kind(of: descriptor)
        alarm = kind == .file ? nil : try Alarm()
    }

    private static func kind(of descriptor: Int32) -> Kind {
        var status = stat()
        // The write names the error.
        guard fstat(descriptor, &status) == 0 else { return .file }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFBLK, S_IFDIR: return .file
        #if os(Linux)
            case S_IFSOCK: return .socket
        #endif
        default: return fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0 ? .blocking : .nonBlocking
        }
    }

    /// Ends the write that waits, and all later ones, with a `CancellationError`.
    func cancel() {
        alarm?.ring()
    }

    /// Writes all bytes.
    func write(_ portion: Data) throws {
        try Self.withoutSignal(of: descriptor) {
            try portion.withUnsafeBytes { bytes in
                var rest = bytes[...]
                if kind == .blocking, !rest.isEmpty { try wait() }
                while !rest.isEmpty {
                    let count = write(UnsafeRawBufferPointer(rebasing: rest))
                    if count >= 0 {
                        rest = rest.dropFirst(count)
                        if kind == .blocking, !rest.isEmpty { try wait() }
                    } else if errno == EAGAIN || errno == EWOULDBLOCK {
                        try wait()
                    } else if errno != EINTR {
                        throw RequestError.notWritten(String(cString: strerror(errno)))
                    }
                }
            }
        }
    }

    /// Writes some bytes, and returns their number.
    private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch kind {
        case .file, .nonBlocking: return systemWrite(descriptor, bytes.baseAddress, bytes.count)
        case .blocking: return systemWrite(descriptor, bytes.baseAddress, min(bytes.count, Int(PIPE_BUF)))
        case .socket:
            #if os(Linux)
                return send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
            #else
                return systemWrite(descriptor, bytes.baseAddress, bytes.count)
            #endif
        }
    }

    /// Returns when the descriptor accepts bytes, or has an error that a write reports.
    private func wait() throws {
        var events = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: alarm?.reading ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&events, 2, -1) < 0, errno == EINTR {}
        if events[1].revents != 0 { throw CancellationError() }
    }

    /// Runs writes whose broken pipe is an error and not a signal, which would end the process.
    private static func withoutSignal(of descriptor: Int32, _ writes: () throws -> Void) throws {
        #if os(Linux)
            try BrokenPipeSignal.absorbed { Result { try writes() } }.get()
        #else
            let before = fcntl(descriptor, F_GETNOSIGPIPE)
            _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
            defer { if before == 0 { _ = fcntl(descriptor, F_SETNOSIGPIPE, 0) } }
            try writes()
        #endif
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// A pipe that is readable once it was rung.
private final class Alarm: Sendable {
    let reading: Int32
    private let writing: Int32
    private let hasRung = Atomic(false)

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            let reason = String(cString: strerror(errno))
            throw RequestError(
                .outOfResources, phase: .prepare,
                detail: "no descriptors are left (\(reason)): limit the number of calls and open files")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    func ring() {
        guard !hasRung.exchange(true, ordering: .relaxed) else { return }
        _ = systemWrite(writing, [1], 1)
    }
}
