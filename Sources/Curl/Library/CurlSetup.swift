#if os(Linux)
    import TangoCCurl

    /// The options that are currently set on a handle.
    struct CurlSetup {
        fileprivate var url = ""
        fileprivate var isPlainGet = true
        fileprivate var headers: Headers?
        fileprivate var contentType: String?
        fileprivate var host: String?
        fileprivate var decodes = false
        fileprivate var connect: Duration? = .zero
        fileprivate var waits = false
        fileprivate var listens = false
        fileprivate var counts = false
        fileprivate var isAnew = false
        var forbidsReuse = false
        fileprivate var lines: UnsafeMutablePointer<curl_slist>?
        fileprivate var addresses: UnsafeMutablePointer<curl_slist>?
        fileprivate var detour: UnsafeMutablePointer<curl_slist>?
        fileprivate var buffer = 0
        fileprivate var upload = 0
        fileprivate var version: Int32?
        fileprivate var expectation: Duration?

        func release() {
            curl_slist_free_all(lines)
            curl_slist_free_all(addresses)
            curl_slist_free_all(detour)
        }
    }

    extension CurlHandle {
        /// Sets the options that differ from the previous transfer.
        func apply(_ transfer: CurlTransfer) {
            if !setup.url.hasSameBytes(as: transfer.url) {
                setup.url = transfer.url
                set(CURLOPT_URL, transfer.url)
            }
            applyMethod(of: transfer)
            applySendBuffer(for: transfer)
            applyHeaders(of: transfer)
            if setup.decodes != transfer.decodes {
                setup.decodes = transfer.decodes
                set(CURLOPT_ACCEPT_ENCODING, transfer.decodes ? "" : nil)
            }
            let buffer = transfer.options.delivery == .stream ? 256 << 10 : 32 << 10
            if setup.buffer != buffer {
                setup.buffer = buffer
                set(CURLOPT_BUFFERSIZE, buffer)
            }
            if setup.connect != transfer.options.timeouts.connect {
                setup.connect = transfer.options.timeouts.connect
                set(CURLOPT_CONNECTTIMEOUT_MS, setup.connect.milliseconds)
            }
            // Wait until the first connection to a server shows whether requests can share it.
            let waits = transfer.mayMultiplex
            if setup.waits != waits {
                setup.waits = waits
                set(CURLOPT_PIPEWAIT, waits ? 1 : 0)
            }
            if setup.isAnew != transfer.isAnew {
                setup.isAnew = transfer.isAnew
                set(CURLOPT_FRESH_CONNECT, transfer.isAnew ? 1 : 0)
            }
            // libcurl reports a refusal without processing only in its debug output: in that of the handle that reads from
            // the connection, which may belong to any request.
            let listens = transfer.mayMultiplex
            if setup.listens != listens {
                setup.listens = listens
                set(CURLOPT_VERBOSE, listens ? 1 : 0)
            }
            let counts = transfer.countsWhatPasses
            if setup.counts != counts {
                setup.counts = counts
                set(CURLOPT_NOPROGRESS, counts ? 0 : 1)
            }
            // Without HTTP/3, the version never changes: see `setUpOnce`.
            if loop.configuration.http3 != .off, setup.version != transfer.versionChoice.version {
                setup.version = transfer.versionChoice.version
                set(CURLOPT_HTTP_VERSION, Int(transfer.versionChoice.version))
            }
            applyAddresses(for: transfer)
            applyDetour(for: transfer)
        }

        private func applyMethod(of transfer: CurlTransfer) {
            let method = transfer.request.method
            let isPlainGet = method == .get && transfer.content == .none
            guard !isPlainGet || !setup.isPlainGet else { return }
            setup.isPlainGet = isPlainGet
            // The order matters: removing the fields of a POST turns the request into a POST.
            set(CURLOPT_POSTFIELDS, nil)
            set(CURLOPT_NOBODY, 0)
            set(CURLOPT_HTTPGET, 1)
            set(CURLOPT_CUSTOMREQUEST, nil)
            switch transfer.content {
            case .none:
                if method == .head { return set(CURLOPT_NOBODY, 1) }
                // These methods usually have a body, so an empty one is declared.
                if method == .post || method == .put || method == .patch { setPosted(Data()) }
            case .posted(let data):
                setPosted(data)
            case .uploaded:
                // The file may have grown while the transfer waited in a queue.
                let length = transfer.upload?.length
                set(CURLOPT_UPLOAD, 1)
                _ = tango_curl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, Int64(length ?? -1))
            }
            if method != .get || transfer.content != .none { set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
        }

        /// Sets the size of the send buffer. libcurl allocates the buffer anew each time.
        private func applySendBuffer(for transfer: CurlTransfer) {
            let size: Int
            if transfer.hasLongHead {
                // Over TLS, libcurl 7.88 stalls within a head that is longer than two of its buffers.
                size = Self.bufferOfLongHeads
            } else if case .uploaded = transfer.content {
                size = transfer.upload?.length.map { $0 < 1 << 20 } ?? false ? 64 << 10 : 512 << 10
            } else if setup.upload == Self.bufferOfLongHeads {
                size = 64 << 10
            } else {
                return
            }
            guard setup.upload != size else { return }
            setup.upload = size
            set(CURLOPT_UPLOAD_BUFFERSIZE, size)
        }

        private static let bufferOfLongHeads = 2 << 20

        private func setPosted(_ data: Data) {
            _ = tango_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, Int64(data.count))
            data.withUnsafeBytes { bytes in
                var nothing: UInt8 = 0
                _ = withUnsafePointer(to: &nothing) { empty in
                    tango_curl_set_bytes(easy, CURLOPT_COPYPOSTFIELDS, bytes.baseAddress ?? UnsafeRawPointer(empty))
                }
            }
        }

        private func applyHeaders(of transfer: CurlTransfer) {
            let headers = transfer.request.headers
            let contentType = transfer.content == .none ? nil : transfer.request.body.contentType
            let wait = transfer.content == .none ? nil : transfer.options.timeouts.expectContinue
            let expects = wait != nil
            guard
                // Headers that differ only in case are equal, but are sent differently.
                setup.headers == nil || setup.headers?.fields != headers.fields || setup.contentType != contentType
                    || setup.host != transfer.hostLine || setup.expectation != wait
                    || transfer.content != .none
            else { return }
            if setup.expectation != wait {
                setup.expectation = wait
                // A request may have the field without the option: libcurl's default is a second.
                set(CURLOPT_EXPECT_100_TIMEOUT_MS, wait.map { Optional($0).milliseconds } ?? 1000)
            }
            setup.headers = headers
            setup.contentType = contentType
            setup.host = transfer.hostLine
            let old = setup.lines
            setup.lines = CurlHeaderLines.make(
                headers, contentType: contentType, host: transfer.hostLine, expects: expects)
            _ = tango_curl_set_list(easy, CURLOPT_HTTPHEADER, setup.lines)
            curl_slist_free_all(old)
        }

        /// If the certificate is for another name, the URL contains that name, and this option the real host.
        private func applyDetour(for transfer: CurlTransfer) {
            guard transfer.trust?.tls.certificateName != nil else { return }
            let old = setup.detour
            setup.detour = curl_slist_append(nil, "::\(transfer.detour)")
            _ = tango_curl_set_list(easy, CURLOPT_CONNECT_TO, setup.detour)
            curl_slist_free_all(old)
        }

        private func applyAddresses(for transfer: CurlTransfer) {
            guard !loop.configuration.addresses.isEmpty else { return }
            let old = setup.addresses
            setup.addresses = transfer.addressLine.map { curl_slist_append(nil, $0) } ?? nil
            _ = tango_curl_set_list(easy, CURLOPT_RESOLVE, setup.addresses)
            curl_slist_free_all(old)
        }
    }

    extension Optional<Duration> {
        /// The milliseconds for libcurl. At least 1, because 0 selects a default of libcurl.
        var milliseconds: Int {
            guard let self else { return Int(Int32.max) }
            // Longer ones have no components that fit.
            guard self < .seconds(1 << 20) else { return Int(Int32.max) }
            guard self > .zero else { return 1 }
            let (seconds, attoseconds) = self.components
            return max(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000), 1)
        }
    }
#endif
