#if os(Linux)
    import Glibc
    import TangoCCurl

    /// An easy handle of libcurl, which serves one transfer after another. Used by the loop's driver only.
    ///
    /// It is the context of libcurl's callbacks. It stores its options, so a request like the previous one sets only
    /// its URL.
    final class CurlHandle: @unchecked Sendable {
        let easy: OpaquePointer
        unowned(unsafe) let loop: CurlLoop
        unowned(unsafe) let pool: CurlPool
        private(set) var transfer: CurlTransfer?
        var setup = CurlSetup()
        /// The socket that libcurl last watched for the current transfer.
        var socket = CURL_SOCKET_BAD
        /// The errno of a socket that could not be created, or 0.
        private(set) var socketError: Int32 = 0
        /// A Boolean value that indicates whether the server has reported, in HTTP/2, that it did not process the
        /// request.
        private(set) var isRefused = false
        /// The HTTP/2 stream of the request and the local port of its connection; 0 if unknown. For a transfer in
        /// flight, libcurl reports the socket of the previous transfer.
        private var stream = 0
        private var streamPort = 0
        private let text: UnsafeMutablePointer<CChar>

        private static let textSize = 256

        /// Returns nil if libcurl has no memory.
        init?(_ pool: CurlPool) {
            guard let easy = curl_easy_init() else { return nil }
            self.easy = easy
            self.pool = pool
            loop = pool.loop
            text = .allocate(capacity: Self.textSize)
            text.initialize(repeating: 0, count: Self.textSize)
            setUpOnce()
        }

        deinit {
            curl_easy_cleanup(easy)
            setup.release()
            text.deallocate()
        }

        /// The handle to which a message of libcurl belongs.
        static func of(_ easy: OpaquePointer) -> CurlHandle? {
            var context: UnsafeMutableRawPointer?
            _ = tango_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
            return context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
        }

        private static func of(_ context: UnsafeMutableRawPointer?) -> CurlHandle {
            Unmanaged<CurlHandle>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
        }

        /// The error message of libcurl for the last failure.
        var message: String { String(cString: text) }

        /// The reason of libcurl for a failure of a SOCKS proxy, one of its `CURLPX` constants.
        var proxyError: Int {
            var number = 0
            _ = tango_curl_get_long(easy, CURLINFO_PROXY_ERROR, &number)
            return number
        }

        /// The local port of the connection; 0 if there is none.
        var localPort: Int {
            var port = 0
            _ = tango_curl_get_long(easy, CURLINFO_LOCAL_PORT, &port)
            return port
        }

        /// The refusal of a proxy to open a tunnel, if any.
        var tunnelRefusal: TunnelRefusal? {
            var status = 0
            var schemes = 0
            _ = tango_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE, &status)
            _ = tango_curl_get_long(easy, CURLINFO_PROXYAUTH_AVAIL, &schemes)
            return TunnelRefusal(status: status, curlSchemes: schemes)
        }

        func begin(_ transfer: CurlTransfer) {
            self.transfer = transfer
            socket = CURL_SOCKET_BAD
            socketError = 0
            isRefused = false
            stream = 0
            text.pointee = 0
            apply(transfer)
        }

        private func record(_ news: CurlStreamNews) {
            let port = localPort
            switch news {
            case .opened(let number):
                stream = number
                streamPort = port
            case .refused: isRefused = true
            case .goodbye(let last):
                guard port > 0 else { return }
                for transfer in loop.active.all {
                    guard let other = transfer.handle, other.pool === pool else { continue }
                    if other.stream > last, other.streamPort == port { other.isRefused = true }
                }
            }
        }

        func end() {
            transfer = nil
            if setup.forbidsReuse { setReuse(isForbidden: false) }
        }

        /// Sets whether the connection ends with the transfer.
        func setReuse(isForbidden: Bool) {
            setup.forbidsReuse = isForbidden
            set(CURLOPT_FORBID_REUSE, isForbidden ? 1 : 0)
        }

        /// Resumes one direction and leaves the other as it is.
        func unpause(receiving: Bool) -> CURLcode {
            guard let transfer else { return CURLE_OK }
            if receiving { transfer.isReceivingPaused = false } else { transfer.isSendingPaused = false }
            var directions = CURLPAUSE_CONT
            if transfer.isReceivingPaused { directions |= CURLPAUSE_RECV }
            if transfer.isSendingPaused { directions |= CURLPAUSE_SEND }
            return curl_easy_pause(easy, directions)
        }

        /// Stops receiving from the socket. Called within a callback.
        func pauseReceiving() {
            guard let transfer else { return }
            _ = curl_easy_pause(easy, CURLPAUSE_RECV | (transfer.isSendingPaused ? CURLPAUSE_SEND : 0))
        }

        private func setUpOnce() {
            let context = Unmanaged.passUnretained(self).toOpaque()
            set(CURLOPT_PRIVATE, context)
            set(CURLOPT_ERRORBUFFER, text)
            set(CURLOPT_NOSIGNAL, 1)
            if CurlLibrary.leavesLookups { set(CURLOPT_QUICK_EXIT, 1) }
            set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
            set(CURLOPT_PATH_AS_IS, 1)
            set(CURLOPT_FOLLOWLOCATION, 0)
            set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
            if !pool.http2 { set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) }
            if let share = pool.share { set(CURLOPT_SHARE, UnsafeMutableRawPointer(share)) }

            _ = tango_curl_set_data(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
                guard let bytes, let transfer = CurlHandle.of(context).transfer else { return 0 }
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return transfer.receive(line: line) ? line.count : 0
            }
            set(CURLOPT_HEADERDATA, context)
            _ = tango_curl_set_data(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
                guard let bytes, let transfer = CurlHandle.of(context).transfer else { return 0 }
                let portion = UnsafeRawBufferPointer(start: bytes, count: size * count)
                switch transfer.receive(portion: portion) {
                case .taken: return portion.count
                case .later: return Int(CURL_WRITEFUNC_PAUSE)
                case .refused: return portion.count &+ 1
                }
            }
            set(CURLOPT_WRITEDATA, context)
            _ = tango_curl_set_data(easy, CURLOPT_READFUNCTION) { bytes, size, count, context in
                guard let bytes, let transfer = CurlHandle.of(context).transfer else { return Int(CURL_READFUNC_ABORT) }
                switch transfer.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) {
                case .some(let count): return count
                case .later: return Int(CURL_READFUNC_PAUSE)
                case .failed: return Int(CURL_READFUNC_ABORT)
                }
            }
            set(CURLOPT_READDATA, context)
            _ = tango_curl_set_progress(easy, CURLOPT_XFERINFOFUNCTION) { context, _, _, _, sent in
                CurlHandle.of(context).transfer?.pass(Int(sent))
                return 0
            }
            set(CURLOPT_XFERINFODATA, context)
            _ = tango_curl_set_seek(easy, CURLOPT_SEEKFUNCTION) { context, offset, origin in
                guard origin == SEEK_SET, offset == 0, let transfer = CurlHandle.of(context).transfer,
                    transfer.rewind()
                else { return CURL_SEEKFUNC_CANTSEEK }
                return CURL_SEEKFUNC_OK
            }
            set(CURLOPT_SEEKDATA, context)
            _ = tango_curl_set_open_socket(easy, CURLOPT_OPENSOCKETFUNCTION) { context, _, address in
                guard let address else { return CURL_SOCKET_BAD }
                let handle = CurlHandle.of(context)
                handle.loop.parkAtExit()
                let socket = handle.loop.sockets.open(address.pointee)
                if socket < 0 { handle.socketError = errno }
                return socket
            }
            set(CURLOPT_OPENSOCKETDATA, context)
            _ = tango_curl_set_close_socket(easy, CURLOPT_CLOSESOCKETFUNCTION) { context, socket in
                CurlLoop.of(context).sockets.close(socket)
            }
            // A connection outlives the handle that opened it, but not the loop.
            set(CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(loop).toOpaque())
            if CurlLibrary.announcesRequests {
                _ = tango_curl_set_announce(easy, CURLOPT_PREREQFUNCTION) { context, _, _, _, port in
                    let transfer = CurlHandle.of(context).transfer
                    return transfer?.announce(from: Int(port)) ?? false ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
                }
                set(CURLOPT_PREREQDATA, context)
            }
            _ = tango_curl_set_debug(easy, CURLOPT_DEBUGFUNCTION) { _, kind, bytes, count, context in
                guard kind == CURLINFO_TEXT, let bytes else { return 0 }
                let text = UnsafeRawBufferPointer(start: bytes, count: count)
                if let news = CurlStreamNews(text) { CurlHandle.of(context).record(news) }
                return 0
            }
            set(CURLOPT_DEBUGDATA, context)
            setUpRoute()
        }

        private func setUpRoute() {
            if let path = loop.configuration.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
            switch loop.configuration.proxy.way {
            case .environment: break
            case .direct: set(CURLOPT_PROXY, "")
            case .http(let host, let port, let user, let password, let scheme):
                setProxy("http", host, port, user, password)
                switch scheme {
                case .basic: set(CURLOPT_PROXYAUTH, Int(CURLAUTH_BASIC))
                case .digest: set(CURLOPT_PROXYAUTH, Int(CURLAUTH_DIGEST))
                case .strongest: set(CURLOPT_PROXYAUTH, Int(CURLAUTH_BASIC | CURLAUTH_DIGEST))
                }
            case .socks5(let host, let port, let user, let password, let resolvesNames):
                setProxy(resolvesNames ? "socks5h" : "socks5", host, port, user, password)
            }
        }

        private func setProxy(_ scheme: String, _ host: String, _ port: Int, _ user: String?, _ password: String?) {
            set(CURLOPT_PROXY, "\(scheme)://\(Proxy.bracketed(host)):\(port)")
            set(CURLOPT_NOPROXY, "")
            if let user {
                set(CURLOPT_PROXYUSERPWD, "\(user.percentEncodedForCurl):\((password ?? "").percentEncodedForCurl)")
            }
        }

        // MARK: Options

        func set(_ option: Int32, _ value: Int) {
            _ = tango_curl_set_long(easy, option, value)
        }

        @discardableResult
        func set(_ option: Int32, _ text: String?) -> CURLcode {
            guard let text else { return tango_curl_set_text(easy, option, nil) }
            return text.withCString { tango_curl_set_text(easy, option, $0) }
        }

        private func set(_ option: Int32, _ pointer: UnsafeMutableRawPointer) {
            _ = tango_curl_set_pointer(easy, option, pointer)
        }
    }
#endif
