#if os(Linux)
    import TangoCCurl

    /// The connections that share rules of trust, and the handles that use them. Used by the loop's driver only.
    ///
    /// Each pool is a multi handle. No version of libcurl moves a connection or a TLS session from one multi handle to
    /// another.
    final class CurlPool {
        let multi: OpaquePointer
        /// Nil for the rules of the system.
        let trust: CurlTrust?
        /// A Boolean value that indicates whether HTTP/2 is offered in handshakes.
        let http2: Bool
        unowned(unsafe) let loop: CurlLoop
        /// The time at which libcurl asks to be called, in nanoseconds.
        var timer = Int64.max
        /// A Boolean value that indicates whether a server has responded in HTTP/2.
        var speaksHTTP2 = false
        /// The number of transfers in flight.
        var users = 0
        private var idle: [CurlHandle] = []
        /// The TLS sessions that the handles share, so that a later connection to a server can resume one.
        let share: OpaquePointer?

        private static let mostIdle = 128

        /// Returns nil if libcurl has no memory.
        init?(_ trust: CurlTrust?, http2: Bool, of loop: CurlLoop) {
            guard let multi = curl_multi_init() else { return nil }
            self.multi = multi
            self.trust = trust
            self.http2 = http2
            self.loop = loop
            share = CurlLibrary.has(CURL_VERSION_SSL) ? curl_share_init() : nil
            if let share { _ = tango_curl_share_set_int(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION) }
            let context = Unmanaged.passUnretained(self).toOpaque()
            _ = tango_curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, loop.configuration.idleConnections)
            _ = tango_curl_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
            // From 8.20 on, the pool owns the threads of look-ups. This option avoids waiting for them at its end.
            _ = tango_curl_multi_set_long(multi, CURLMOPT_QUICK_EXIT, 1)
            _ = tango_curl_multi_set_socket(multi, CURLMOPT_SOCKETFUNCTION) { easy, socket, what, context, _ in
                if let easy, what != CURL_POLL_REMOVE { CurlHandle.of(easy)?.socket = socket }
                let pool = CurlPool.of(context)
                pool.loop.parkAtExit()
                pool.loop.sockets.watch(socket, of: pool, for: what)
                return 0
            }
            _ = tango_curl_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
            _ = tango_curl_multi_set_timer(multi, CURLMOPT_TIMERFUNCTION) { _, milliseconds, context in
                CurlPool.of(context).timer =
                    switch milliseconds {
                    case ..<0: .max
                    case 0: 0
                    default: MonotonicTime.now() + Int64(milliseconds) * 1_000_000
                    }
                return 0
            }
            _ = tango_curl_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
        }

        /// Closes all connections. No transfer may be in flight.
        func close() {
            idle = []
            _ = curl_multi_cleanup(multi)
            // libcurl does not report the closing of sockets that it created itself.
            loop.sockets.forget(self)
            if let share { _ = curl_share_cleanup(share) }
        }

        static func of(_ context: UnsafeMutableRawPointer?) -> CurlPool {
            Unmanaged<CurlPool>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        }

        /// Returns an idle handle, or else a new one.
        func take() throws(RequestError) -> CurlHandle {
            if let handle = idle.popLast() { return handle }
            guard let handle = CurlHandle(self) else {
                throw RequestError(
                    .outOfResources, phase: .prepare,
                    detail: "there is no memory for a request: limit the number of calls in flight")
            }
            do throws(BadTrust) {
                if CurlLibrary.has(CURL_VERSION_SSL) { try handle.apply(trust?.tls ?? .system) }
            } catch {
                throw RequestError(.badTrust, phase: .prepare, detail: error.text)
            }
            return handle
        }

        func give(back handle: CurlHandle) {
            if idle.count < Self.mostIdle { idle.append(handle) }
        }
    }

    /// The pools of a loop: one for the rules of the system and one for each other set of rules. Each may have a second
    /// pool for transfers that need HTTP/1.1. Used by the loop's driver only.
    struct CurlPools {
        /// The system's pool is first. The others follow, with the most recently used last.
        private(set) var all: [CurlPool] = []

        private static let most = 16

        /// The earliest time at which a pool asks to be called.
        var timer: Int64 {
            all.count == 1 ? all[0].timer : all.reduce(.max) { min($0, $1.timer) }
        }

        /// Returns the pool for a set of rules and a version of HTTP, or nil if there is no memory for a new one.
        mutating func pool(for trust: CurlTrust?, http2: Bool, of loop: CurlLoop) -> CurlPool? {
            if let system = all.first, trust == nil, system.http2 == http2 { return system }
            if let place = all.dropFirst().lastIndex(where: { $0.trust === trust && $0.http2 == http2 }) {
                let pool = all.remove(at: place)
                all.append(pool)
                return pool
            }
            guard let pool = CurlPool(trust, http2: http2, of: loop) else { return nil }
            all.append(pool)
            return pool
        }

        /// Closes unused pools, the least recently used first, if there are too many. No caller may be using a pool.
        mutating func trim() {
            while all.count > Self.most, let place = all.dropFirst().firstIndex(where: { $0.users == 0 }) {
                all.remove(at: place).close()
            }
        }

        func close() {
            for pool in all { pool.close() }
        }
    }
#endif
