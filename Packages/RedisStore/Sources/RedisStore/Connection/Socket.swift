import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The system calls on sockets, with the differences between systems.
enum Socket {
    #if canImport(Glibc)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    #if canImport(Darwin)
        private static let flags: Int32 = 0
    #else
        private static let flags = Int32(MSG_NOSIGNAL)
    #endif

    /// An address to connect to, in the form of the system.
    struct Target: Sendable {
        let family: Int32
        let bytes: [UInt8]
    }

    /// Resolves the address of a server. May take seconds for a name.
    static func resolve(_ address: RedisConfiguration.Address) -> [Target] {
        switch address {
        case .socket(let path):
            var target = sockaddr_un()
            target.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: path.utf8) }
            return [Target(family: AF_UNIX, bytes: withUnsafeBytes(of: &target) { Array($0) })]
        case .host(let host, let port):
            var hints = addrinfo()
            hints.ai_socktype = stream
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, String(port), &hints, &list) == 0, let first = list else { return [] }
            defer { freeaddrinfo(first) }
            var targets: [Target] = []
            var next = list
            while let info = next {
                if let bytes = info.pointee.ai_addr {
                    let size = Int(info.pointee.ai_addrlen)
                    targets.append(
                        Target(
                            family: info.pointee.ai_family,
                            bytes: Array(UnsafeRawBufferPointer(start: bytes, count: size))))
                }
                next = info.pointee.ai_next
            }
            return targets
        }
    }

    /// Begins to connect, or returns nil.
    static func connect(to target: Target) -> OpenSocket? {
        let descriptor = socket(target.family, stream, 0)
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        if target.family != AF_UNIX { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size) }
        #if canImport(Darwin)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #endif
        let code = target.bytes.withUnsafeBytes { bytes -> Int32 in
            guard let start = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
            #if canImport(Darwin)
                return Darwin.connect(descriptor, start, socklen_t(bytes.count))
            #elseif canImport(Glibc)
                return Glibc.connect(descriptor, start, socklen_t(bytes.count))
            #else
                return Musl.connect(descriptor, start, socklen_t(bytes.count))
            #endif
        }
        if code == 0 || errno == EINPROGRESS { return OpenSocket(descriptor) }
        close(descriptor)
        return nil
    }

    /// Makes a descriptor non-blocking, and closes it in child processes.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// The result of a read or write that does not wait.
    enum Transfer {
        case bytes(Int)
        case wouldWait
        case ended
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        result(send(descriptor, bytes.baseAddress, bytes.count, flags))
    }

    static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        return count == 0 ? .ended : result(count)
    }

    private static func result(_ count: Int) -> Transfer {
        if count >= 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? .wouldWait : .ended
    }
}

/// A socket that is closed when its last user is done. So no thread can write to a descriptor that has a new meaning.
final class OpenSocket: Sendable {
    let descriptor: Int32

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Ends the connection. Later writes fail.
    func end() {
        shutdown(descriptor, Int32(SHUT_RDWR))
    }
}

/// A pipe that wakes a waiting thread.
final class Wakeup: Sendable {
    let reading: Int32
    private let writing: Int32

    /// Returns nil if the process has too many open files.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        ends.forEach(Socket.prepare)
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    func wake() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    func empty() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(reading, buffer.baseAddress, buffer.count) == buffer.count {}
        }
    }
}

/// The addresses of a server, resolved on a thread of their own.
final class Resolution: Sendable {
    private let found = Mutex<[Socket.Target]?>(nil)

    init(_ address: RedisConfiguration.Address, then done: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async { [self] in
            let targets = Socket.resolve(address)
            found.withLock { $0 = targets }
            done()
        }
    }

    /// The addresses; nil as long as they are being resolved.
    var targets: [Socket.Target]? { found.withLock { $0 } }
}
