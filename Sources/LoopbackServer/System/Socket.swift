/// The system calls on sockets, with the differences between systems.
enum Socket {
    #if canImport(Glibc) || canImport(Android)
        private static let stream = Int32(SOCK_STREAM.rawValue)
    #else
        private static let stream = SOCK_STREAM
    #endif

    #if canImport(Darwin)
        private static let sendFlags: Int32 = 0
    #else
        private static let sendFlags = Int32(MSG_NOSIGNAL)
    #endif

    /// The number of connections that the system queues before they are accepted.
    private static let queue: Int32 = 4096

    // MARK: Listening

    /// Listens on a port. The place, which ``reserve(port:)`` returns, keeps the port once the listener is closed.
    static func listener(port: Int) throws -> (listener: Int32, place: Int32?, port: Int) {
        var address = loopback(port)
        guard let listener = try open(boundTo: &address) else { throw failure("listen on port \(port)") }
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(listener, $0, &length) }
        }
        let number = Int(UInt16(bigEndian: address.sin_port))
        // Linux shares a port between sockets as long as none of them listens.
        let place = reserve(port: number)
        guard listen(listener, queue) == 0 else {
            let error = failure("listen on port \(port)", closing: listener)
            if let place { close(place) }
            throw error
        }
        return (listener, place, number)
    }

    /// Reserves a port without listening on it. Returns nil if the port is in use.
    static func reserve(port: Int) -> Int32? {
        var address = loopback(port)
        return try? open(boundTo: &address)
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    private static func open(boundTo address: inout sockaddr_in) throws -> Int32? {
        let descriptor = try open(AF_INET)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        if withGeneric(&address, { bind(descriptor, $0, $1) }) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        errno = code
        return nil
    }

    /// Closes a listener. A child process that is just being started has a copy of the descriptor, which no longer listens.
    static func endListening(_ listener: Int32) {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    static func listener(path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path) - 1
        guard bytes.count <= room else {
            throw LoopbackServer.Failure(
                message: "The socket path has \(bytes.count) bytes. Use at most \(room) bytes: \(path)", code: 0)
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = try open(AF_UNIX)
        // A server that was killed may have left a file at this path.
        unlink(path)
        let bound = withGeneric(&address) { bind(descriptor, $0, $1) }
        guard bound == 0, listen(descriptor, queue) == 0 else {
            throw failure("listen on \(path)", closing: descriptor)
        }
        return descriptor
    }

    private static func open(_ family: Int32) throws -> Int32 {
        let descriptor = socket(family, stream, 0)
        guard descriptor >= 0 else { throw failure("open a socket") }
        prepare(descriptor)
        return descriptor
    }

    private static func withGeneric<Address, Value>(
        _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
    ) -> Value {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }

    static func failure(_ what: String, closing descriptor: Int32? = nil) -> LoopbackServer.Failure {
        let code = errno
        if let descriptor { close(descriptor) }
        return LoopbackServer.Failure(message: "Cannot \(what): \(String(cString: strerror(code)))", code: code)
    }

    /// Makes a descriptor non-blocking, and closes it in child processes.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    // MARK: Connections

    /// Accepts the next connection. Returns nil if that fails.
    static func connection(from listener: Int32, isTCP: Bool) -> Int32? {
        let descriptor = accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        var on: Int32 = 1
        if isTCP {
            setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        #if canImport(Darwin)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return descriptor
    }

    static func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
        send(descriptor, bytes, count, sendFlags)
    }

    static func write(_ descriptor: Int32, _ vectors: UnsafeMutableBufferPointer<iovec>) -> Int {
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = numericCast(vectors.count)
        return sendmsg(descriptor, &message, sendFlags)
    }

    static func endWriting(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Ends and closes a connection.
    ///
    /// A child process that is just being started has a copy of the descriptor, with which closing alone ends nothing.
    static func end(_ descriptor: Int32, withReset: Bool) {
        var byte: UInt8 = 0
        // Closing alone resets a connection with unread bytes.
        let hasUnread = recv(descriptor, &byte, 1, Int32(MSG_PEEK)) > 0
        if withReset || hasUnread { reset(descriptor) } else { shutdown(descriptor, Int32(SHUT_RDWR)) }
        close(descriptor)
    }

    private static func reset(_ descriptor: Int32) {
        #if os(Linux)
            var nowhere = sockaddr()
            nowhere.sa_family = sa_family_t(AF_UNSPEC)
            connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
        #else
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        #endif
    }
}
