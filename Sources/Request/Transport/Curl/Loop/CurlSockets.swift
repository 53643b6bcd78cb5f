#if os(Linux)
    import Glibc
    import TangoCCurl
    import TangoCLinux

    /// The sockets of a loop, and the epoll instance that watches them. Belongs to whoever drives the loop.
    ///
    /// A socket that libcurl has lost interest in stays registered until it calls: between two requests of a connection
    /// nothing changes then, and two system calls are saved. That is safe for the sockets that were made here, of which we
    /// hear when they are closed.
    final class CurlSockets: @unchecked Sendable {
        private struct Watch {
            /// What libcurl wants to hear, in the terms of epoll.
            var wanted: UInt32 = 0
            /// What epoll was told.
            var registered: UInt32 = 0
            /// Whether `open` made the socket, so that `close` will hear of its end.
            var isOurs = false
            var lastActivity: Int64 = 0
            /// Whose connection it is, as long as something is wanted.
            var pool: Unmanaged<CurlPool>?
            var backoff = WriteBackoff()

            /// What epoll is to be told.
            var effective: UInt32 { backoff.end == nil ? wanted : wanted & ~CurlSockets.writable }
        }

        private let epoll: Int32
        private let bell: Int32
        private var watches: [Watch] = []
        /// The sockets that rest.
        private var resting: [Int32] = []
        /// How often the loop has waited for events.
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
                    .outOfResources, phase: .prepare, detail: "no descriptors for libcurl's loop: \(reason)")
            }
        }

        deinit {
            if epoll >= 0 { Glibc.close(epoll) }
            if bell >= 0 { Glibc.close(bell) }
        }

        /// Ends the sleep of whoever waits, now or the next time.
        func wake() {
            eventfd_write(bell, 1)
        }

        /// Waits for events. The only call here that needs no right to drive.
        func wait(_ events: inout [epoll_event], timeout: Int32) -> Int {
            let count = epoll_wait(epoll, &events, Int32(events.count), timeout)
            waits += 1
            return max(Int(count), 0)
        }

        /// An event of a socket, in libcurl's terms.
        struct Interest {
            let socket: Int32
            let pool: CurlPool
            let mask: Int32
            /// Whether there was nothing to read.
            let isForWriting: Bool
        }

        /// The socket an event is about, and what happened to it; nil if libcurl need not hear of it.
        func interest(in event: epoll_event, at time: Int64) -> Interest? {
            let socket = event.data.fd
            guard socket != bell else {
                var count: eventfd_t = 0
                eventfd_read(bell, &count)
                return nil
            }
            guard Int(socket) < watches.count else { return nil }
            let wanted = watches[Int(socket)].wanted
            guard wanted != 0, let pool = watches[Int(socket)].pool else {
                // An idle connection was closed by the server, or one is being paused: libcurl looks for itself in time.
                register(socket, 0)
                return nil
            }
            watches[Int(socket)].lastActivity = time
            if event.events & Self.readable != 0 { endRest(of: socket) }
            var mask: Int32 = 0
            if event.events & Self.readable != 0 { mask |= CURL_CSELECT_IN }
            if event.events & Self.writable != 0 { mask |= CURL_CSELECT_OUT }
            if event.events & Self.broken != 0 { mask |= CURL_CSELECT_ERR }
            let isForWriting = mask == CURL_CSELECT_OUT
            // Told of writing alone, libcurl before 8.5 may find a stream of HTTP/2 closed before it has passed on the response.
            if isForWriting, wanted & Self.readable != 0 { mask |= CURL_CSELECT_IN }
            return Interest(
                socket: socket, pool: pool.takeUnretainedValue(), mask: mask, isForWriting: isForWriting)
        }

        /// libcurl says what it wants to hear of a socket.
        func watch(_ socket: Int32, of pool: CurlPool, for what: Int32) {
            while watches.count <= Int(socket) { watches.append(Watch()) }
            var wanted: UInt32 = 0
            if what == CURL_POLL_IN || what == CURL_POLL_INOUT { wanted |= Self.readable }
            if what == CURL_POLL_OUT || what == CURL_POLL_INOUT { wanted |= Self.writable }
            let isWritingNew = wanted & ~watches[Int(socket)].wanted & Self.writable != 0
            watches[Int(socket)].wanted = wanted
            watches[Int(socket)].pool = wanted == 0 ? nil : .passUnretained(pool)
            if isWritingNew { watches[Int(socket)].backoff.reset() }
            let registered = watches[Int(socket)].registered
            let effective = watches[Int(socket)].effective
            guard registered != effective else { return }
            let staysRegistered = wanted == 0 && registered == Self.readable && watches[Int(socket)].isOurs
            if !staysRegistered { register(socket, effective) }
        }

        // MARK: Sockets to which nothing is written

        /// When the first of the sockets that rest is to be looked at again.
        var nextWriting: Int64 {
            resting.isEmpty ? .max : resting.reduce(.max) { min($0, watches[Int($1)].backoff.end ?? .max) }
        }

        /// libcurl was called because a socket was writable.
        func noteWritingTurn(of socket: Int32, at now: Int64) {
            guard Int(socket) < watches.count, watches[Int(socket)].wanted & Self.writable != 0 else { return }
            let total = tango_bytes_written(socket)
            guard watches[Int(socket)].backoff.turn(total < 0 ? nil : total, at: now) else { return }
            if !resting.contains(socket) { resting.append(socket) }
            register(socket, watches[Int(socket)].effective)
        }

        /// Watches the sockets again that have rested long enough.
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

        /// When something last happened on a socket.
        func lastActivity(_ socket: Int32) -> Int64 {
            socket >= 0 && Int(socket) < watches.count ? watches[Int(socket)].lastActivity : 0
        }

        /// Makes a socket for libcurl; -1 with errno where there is none to be had.
        func open(_ address: curl_sockaddr) -> Int32 {
            let flags = Int32(SOCK_CLOEXEC.rawValue)
            let socket = Glibc.socket(address.family, address.socktype | flags, address.`protocol`)
            guard socket >= 0 else { return socket }
            while watches.count <= Int(socket) { watches.append(Watch()) }
            watches[Int(socket)] = Watch(isOurs: true)
            return socket
        }

        func close(_ socket: Int32) -> Int32 {
            if Int(socket) < watches.count { watches[Int(socket)] = Watch() }
            return Glibc.close(socket)
        }

        /// Ends the connections of a pool whose other side is gone without a word: what was sent, and sent again four times,
        /// has not arrived. The kernel would go on for a quarter of an hour, and libcurl with it where requests share them.
        ///
        /// - Parameter time: Since when nothing has happened on them.
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

        /// Nothing is passed on to a pool any more.
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
            // The table and the kernel disagree where libcurl closed a socket of its own making.
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
