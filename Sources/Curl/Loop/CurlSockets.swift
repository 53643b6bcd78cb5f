#if os(Linux)
    import Glibc
    import TangoCCurl
    import TangoCLinux

    /// The sockets of a loop, and the epoll instance that watches them. Used by the loop's driver only.
    ///
    /// A socket that libcurl no longer watches stays registered until its next event. So nothing changes between two
    /// requests on a connection, which saves two system calls. This is safe for sockets that were created here, because
    /// their closing is reported.
    final class CurlSockets: @unchecked Sendable {
        private struct Watch {
            /// The events that libcurl wants, as flags of epoll.
            var wanted: UInt32 = 0
            /// The events that are registered with epoll.
            var registered: UInt32 = 0
            /// A Boolean value that indicates whether `open` created the socket, so that `close` is called at its end.
            var isOurs = false
            var lastActivity: Int64 = 0
            /// A Boolean value that indicates whether the connection waits for its next request in HTTP/1.1. Until then,
            /// the server has nothing to send.
            var isIdle = false
            /// The pool of the connection, while any events are wanted.
            var pool: Unmanaged<CurlPool>?
            var backoff = WriteBackoff()

            /// The events that should be registered with epoll.
            var effective: UInt32 { backoff.end == nil ? wanted : wanted & ~CurlSockets.writable }
        }

        private let epoll: Int32
        private let bell: Int32
        private var watches: [Watch] = []
        /// The sockets that are currently not watched for writing.
        private var resting: [Int32] = []
        /// The connections that wait for their next request in HTTP/1.1, with their local ports.
        private var idle: [(socket: Int32, port: Int)] = []
        /// The number of times that the loop has waited for events.
        private(set) var waits = 0

        private static let readable = EPOLLIN.rawValue
        private static let writable = EPOLLOUT.rawValue
        private static let broken = EPOLLERR.rawValue | EPOLLHUP.rawValue

        init() throws {
            epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
            bell = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
            guard epoll >= 0, bell >= 0, control(EPOLL_CTL_ADD, bell, Self.readable) else {
                let reason = String(cString: strerror(errno))
                throw RequestError(
                    .outOfResources, phase: .prepare,
                    detail: "no descriptors are left (\(reason)): limit the number of calls and open files")
            }
        }

        deinit {
            if epoll >= 0 { Glibc.close(epoll) }
            if bell >= 0 { Glibc.close(bell) }
        }

        /// Ends the current or the next `wait`.
        func wake() {
            eventfd_write(bell, 1)
        }

        /// Waits for events. The only method that may be called without the lock of the loop.
        func wait(_ events: inout [epoll_event], timeout: Int32) -> Int {
            let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
            waits += 1
            return max(Int(count), 0)
        }

        /// An event of a socket, as flags of libcurl.
        struct Interest {
            let socket: Int32
            let pool: CurlPool
            let mask: Int32
            /// A Boolean value that indicates whether there was nothing to read.
            let isForWriting: Bool
        }

        /// Returns the socket of an event and the flags for libcurl, or nil if libcurl need not be called.
        func interest(in event: epoll_event, at time: Int64) -> Interest? {
            let socket = event.data.fd
            guard socket != bell else {
                var count: eventfd_t = 0
                eventfd_read(bell, &count)
                return nil
            }
            guard Int(socket) < watches.count else { return nil }
            let wanted = watches[Int(socket)].wanted
            guard wanted != 0, let pool = watches[Int(socket)].pool else { return nil }
            watches[Int(socket)].lastActivity = time
            if event.events & Self.readable != 0 { endRest(of: socket) }
            var mask: Int32 = 0
            if event.events & Self.readable != 0 { mask |= CURL_CSELECT_IN }
            if event.events & Self.writable != 0 { mask |= CURL_CSELECT_OUT }
            if event.events & Self.broken != 0 { mask |= CURL_CSELECT_ERR }
            let isForWriting = mask == CURL_CSELECT_OUT
            // When notified of writing alone, libcurl before 8.5 may close an HTTP/2 stream before it passes on the
            // response.
            if isForWriting, wanted & Self.readable != 0 { mask |= CURL_CSELECT_IN }
            return Interest(
                socket: socket, pool: pool.takeUnretainedValue(), mask: mask, isForWriting: isForWriting)
        }

        /// Sets the events of a socket that libcurl wants.
        func watch(_ socket: Int32, of pool: CurlPool, for what: Int32) {
            while watches.count <= Int(socket) { watches.append(Watch()) }
            var wanted: UInt32 = 0
            if what == CURL_POLL_IN || what == CURL_POLL_INOUT { wanted |= Self.readable }
            if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { wanted |= Self.writable }
            let isWritingNew = wanted & ~watches[Int(socket)].wanted & Self.writable != 0
            watches[Int(socket)].wanted = wanted
            watches[Int(socket)].pool = wanted == 0 ? nil : .passUnretained(pool)
            if wanted != 0 { endIdleness(of: socket) }
            if isWritingNew { watches[Int(socket)].backoff.reset() }
            let registered = watches[Int(socket)].registered
            let effective = watches[Int(socket)].effective
            guard registered != effective else { return }
            let staysRegistered = wanted == 0 && registered == Self.readable && watches[Int(socket)].isOurs
            if !staysRegistered { register(socket, effective) }
        }

        // MARK: Idle connections

        /// Records that a connection waits for its next request in HTTP/1.1.
        func noteIdle(_ socket: Int32, port: Int) {
            guard socket >= 0, Int(socket) < watches.count, watches[Int(socket)].isOurs,
                watches[Int(socket)].wanted == 0
            else { return }
            if !watches[Int(socket)].isIdle { idle.append((socket, port)) }
            watches[Int(socket)].isIdle = true
            register(socket, Self.readable)
        }

        private func endIdleness(of socket: Int32) {
            guard watches[Int(socket)].isIdle else { return }
            watches[Int(socket)].isIdle = false
            guard let place = idle.lastIndex(where: { $0.socket == socket }) else { return }
            idle.swapAt(place, idle.count - 1)
            idle.removeLast()
        }

        /// Returns whether an idle connection may get its next request: neither bytes without a request nor the end of the
        /// connection have arrived on it. The event of such bytes may still be unhandled.
        ///
        /// libcurl names a connection by its local port only. Connections to several servers may share a port, and all of
        /// them count. Connections through Unix sockets have none, and are not checked.
        func isSilent(connectionAt port: Int) -> Bool {
            guard port > 0 else { return true }
            for connection in idle where connection.port == port {
                var byte: UInt8 = 0
                let count = recv(connection.socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
                guard count < 0, errno == EAGAIN else { return false }
            }
            return true
        }

        /// Handles an event that libcurl does not want. Returns whether bytes that no request asked for have arrived on an
        /// idle connection.
        ///
        /// The socket stays registered if there is nothing to read. Another driver has then read the bytes of the event,
        /// and later bytes must still be noticed. Otherwise a connection is paused, or the server has ended an idle one,
        /// which libcurl notices before the next use.
        func hasUnrequestedBytes(_ socket: Int32) -> Bool {
            guard Int(socket) < watches.count, watches[Int(socket)].registered != 0 else { return false }
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT))
            if count < 0, errno == EAGAIN { return false }
            register(socket, 0)
            return count > 0 && watches[Int(socket)].isIdle
        }

        /// Shuts down an idle connection and drops the bytes that have arrived on it. With unread bytes, libcurl would
        /// take the connection for a live one.
        func endIdle(_ socket: Int32) {
            shutdown(socket, Int32(SHUT_RDWR))
            withUnsafeTemporaryAllocation(byteCount: 16 << 10, alignment: 1) { buffer in
                while recv(socket, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT)) > 0 {}
            }
        }

        // MARK: Sockets to which nothing is written

        /// The earliest time at which a resting socket is watched for writing again.
        var nextWriting: Int64 {
            resting.isEmpty ? .max : resting.reduce(.max) { min($0, watches[Int($1)].backoff.end ?? .max) }
        }

        /// Records that libcurl was called because a socket was writable.
        func noteWritingTurn(of socket: Int32, at now: Int64) {
            guard Int(socket) < watches.count, watches[Int(socket)].wanted & Self.writable != 0 else { return }
            let total = tango_bytes_written(socket)
            guard watches[Int(socket)].backoff.turn(total < 0 ? nil : total, at: now) else { return }
            if !resting.contains(socket) { resting.append(socket) }
            register(socket, watches[Int(socket)].effective)
        }

        /// Watches sockets for writing again whose rest is over.
        func wakeRested(at now: Int64) {
            guard !resting.isEmpty else { return }
            resting.removeAll { socket in
                guard watches[Int(socket)].backoff.wake(at: now) else {
                    return watches[Int(socket)].backoff.end == nil
                }
                register(socket, watches[Int(socket)].effective)
                return true
            }
        }

        private func endRest(of socket: Int32) {
            guard watches[Int(socket)].backoff != WriteBackoff() else { return }
            watches[Int(socket)].backoff.reset()
            register(socket, watches[Int(socket)].effective)
        }

        /// The time of the last event of a socket.
        func lastActivity(_ socket: Int32) -> Int64 {
            socket >= 0 && Int(socket) < watches.count ? watches[Int(socket)].lastActivity : 0
        }

        /// Creates a socket for libcurl. Returns -1 and sets errno on failure.
        func open(_ address: curl_sockaddr) -> Int32 {
            let flags = Int32(SOCK_CLOEXEC.rawValue)
            let socket = Glibc.socket(address.family, address.socktype | flags, address.`protocol`)
            guard socket >= 0 else { return socket }
            while watches.count <= Int(socket) { watches.append(Watch()) }
            watches[Int(socket)] = Watch(isOurs: true)
            return socket
        }

        func close(_ socket: Int32) -> Int32 {
            if Int(socket) < watches.count {
                endIdleness(of: socket)
                watches[Int(socket)] = Watch()
            }
            return Glibc.close(socket)
        }

        /// Shuts down connections of a pool whose peer is gone: bytes are unacknowledged after four retransmissions.
        /// The kernel would continue for a quarter of an hour. libcurl would do the same if requests share the
        /// connection.
        ///
        /// - Parameter time: Connections with events after this time are left alone.
        func endDead(of pool: CurlPool, quietSince time: Int64) {
            for socket in watches.indices
            where watches[socket].isOurs && watches[socket].lastActivity <= time
                && watches[socket].pool?.toOpaque() == Unmanaged.passUnretained(pool).toOpaque()
            {
                var facts = tcp_info()
                var size = socklen_t(MemoryLayout<tcp_info>.size)
                guard getsockopt(Int32(socket), Int32(IPPROTO_TCP), TCP_INFO, &facts, &size) == 0,
                    facts.tcpi_unacked > 0, facts.tcpi_retransmits >= 4
                else { continue }
                shutdown(Int32(socket), Int32(SHUT_RDWR))
            }
        }

        /// Stops passing events to a pool.
        func forget(_ pool: CurlPool) {
            for socket in watches.indices
            where watches[socket].pool?.toOpaque() == Unmanaged.passUnretained(pool).toOpaque() {
                watches[socket].wanted = 0
                watches[socket].pool = nil
            }
        }

        private func register(_ socket: Int32, _ events: UInt32) {
            let registered = watches[Int(socket)].registered
            guard registered != events else { return }
            watches[Int(socket)].registered = events
            let operation = registered == 0 ? EPOLL_CTL_ADD : events == 0 ? EPOLL_CTL_DEL : EPOLL_CTL_MOD
            if control(operation, socket, events) || events == 0 { return }
            // If libcurl closed a socket that it had created itself, the table and the kernel disagree.
            _ = control(operation == EPOLL_CTL_ADD ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, events)
        }

        private func control(_ operation: Int32, _ socket: Int32, _ events: UInt32) -> Bool {
            var event = epoll_event()
            event.events = events
            event.data.fd = socket
            return epoll_ctl(epoll, operation, socket, &event) == 0
        }
    }
#endif
