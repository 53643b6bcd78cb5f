#if os(Linux)
    import TangoCCurl

    /// Connections that were made under the same rules, and the handles that use them. Belongs to whoever drives the loop.
    ///
    /// Each pool is a multi handle: no version of libcurl takes a connection, or a session of TLS, from one into another.
    final class CurlPool {
        let multi: OpaquePointer
        /// Nil is what the system trusts.
        let trust: CurlTrust?
        /// Whether HTTP/2 is offered in handshakes.
        let http2: Bool
        unowned(unsafe) let loop: CurlLoop
        /// When libcurl wants to be called, in nanoseconds.
        var timer = Int64.max
        /// Whether anybody has answered in HTTP/2.
        var speaksHTTP2 = false
        /// How many transfers are under way.
        var users = 0
        private var idle: [CurlHandle] = []
        /// What the handles share: sessions of TLS, so that the next connection to a server need not begin from nothing.
        let share: OpaquePointer?

        private static let mostIdle = 128

        /// Nil where libcurl has no memory.
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
            // The threads of look-ups, which from 8.20 on belong to the pool, are not waited for at its end.
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

        /// Closes all connections. Nothing may be under way.
        func close() {
            idle = []
            _ = curl_multi_cleanup(multi)
            // There may be sockets of libcurl's own, of whose end it did not tell.
            loop.sockets.forget(self)
            if let share { _ = curl_share_cleanup(share) }
        }

        static func of(_ context: UnsafeMutableRawPointer?) -> CurlPool {
            Unmanaged<CurlPool>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        }

        /// A handle, used before if there is one.
        func take() throws(RequestError) -> CurlHandle {
            if let handle = idle.popLast() { return handle }
            guard let handle = CurlHandle(self) else {
                throw RequestError(.outOfResources, phase: .prepare, detail: "libcurl has no memory for a request")
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
#endif
