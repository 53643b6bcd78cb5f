#if os(Linux)
    import TangoCCurl

    /// The response and the body of a transfer, for the receiver.
    extension CurlTransfer {
        var roomMark: Int { loop.configuration.buffer / 2 }

        var wholeBody: Data { reception.wholeBody }

        func withFeed<Result: Sendable>(_ access: (inout TransferFeed) -> Result) -> Result {
            shared.withLock { access(&$0.feed) }
        }

        func head() throws -> HTTPResponse {
            guard let head = options.delivery == .stream ? shared.withLock({ $0.head }) : reception.parsedHead else {
                leave()
                throw RequestError(
                    .badResponse, phase: .wait,
                    detail: "the response is not valid HTTP: check the server, and any proxy before it",
                    request: request)
            }
            if let trust, let pin = shared.withLock({ replace(&$0.presentedPin, with: nil) }) {
                trust.rules.report(pin, host: address.host)
            }
            var response = HTTPResponse(head: head, request: request)
            if decodes, !response.headers.contentEncodings.isEmpty {
                response.headers.remove("Content-Encoding")
                response.headers.remove("Content-Length")
                response.isDecoded = true
            }
            return response
        }

        var measured: BodyStream.Ending {
            let (trailers, metrics) = shared.withLock { ($0.trailers, $0.metrics) }
            return BodyStream.Ending(trailers: trailers.parsed, metrics: metrics.public)
        }

        func release() {
            withFeed { $0.isHeld = false }
            loop.submit(.receive(self))
        }
    }

    extension HTTPResponse {
        fileprivate init(head: ResponseHead, request: HTTPRequest) {
            self.init(
                status: head.status, reason: head.reason, version: head.version, headers: head.headers, request: request
            )
        }
    }

    extension [UInt8] {
        /// The fields of trailers.
        fileprivate var parsed: Headers {
            isEmpty ? [:] : withUnsafeBytes { ResponseHead.fields(parsing: $0) }
        }
    }

    /// The measurements of libcurl: microseconds from the start, or 0 if an event did not occur.
    struct CurlMetrics {
        var resolved: Int64 = 0
        var connected: Int64 = 0
        var secured: Int64 = 0
        var started: Int64 = 0
        var firstByte: Int64 = 0
        var finished: Int64 = 0
        var sent: Int64 = 0
        var received: Int64 = 0
        var connections = 0
        var address = ""
        var port = 0

        /// The measurements in their public form.
        var `public`: AttemptMetrics {
            var metrics = AttemptMetrics()
            guard finished > 0 else { return metrics }
            let isReused = connections == 0
            metrics.resolved = isReused ? nil : resolved.microseconds
            metrics.connected = isReused ? nil : connected.microseconds
            metrics.secured = isReused ? nil : secured.microseconds
            metrics.requestStarted = started.microseconds
            metrics.firstByte = firstByte.microseconds
            metrics.finished = finished.microseconds
            metrics.reusedConnection = started > 0 ? isReused : nil
            metrics.bodyBytesSent = Int(sent)
            metrics.bodyBytesReceived = Int(received)
            if !address.isEmpty { metrics.remoteAddress = AttemptMetrics.text(address: address, port: port) }
            return metrics
        }
    }

    extension Int64 {
        fileprivate var microseconds: Duration? {
            self > 0 ? .microseconds(self) : nil
        }
    }

    extension CurlTransfer {
        func readMetrics() {
            guard let easy = handle?.easy else { return }
            _ = tango_curl_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T, &metrics.resolved)
            _ = tango_curl_get_offset(easy, CURLINFO_CONNECT_TIME_T, &metrics.connected)
            _ = tango_curl_get_offset(easy, CURLINFO_APPCONNECT_TIME_T, &metrics.secured)
            _ = tango_curl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T, &metrics.started)
            _ = tango_curl_get_offset(easy, CURLINFO_TOTAL_TIME_T, &metrics.finished)
            readOwnTimes()
            _ = tango_curl_get_offset(easy, CURLINFO_SIZE_UPLOAD_T, &metrics.sent)
            // libcurl also counts the lines between chunks.
            if let upload { metrics.sent = min(metrics.sent, Int64(upload.position)) }
            _ = tango_curl_get_offset(easy, CURLINFO_SIZE_DOWNLOAD_T, &metrics.received)
            _ = tango_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &metrics.connections)
            _ = tango_curl_get_long(easy, CURLINFO_PRIMARY_PORT, &metrics.port)
            var address: UnsafePointer<CChar>?
            _ = tango_curl_get_text(easy, CURLINFO_PRIMARY_IP, &address)
            if let address { metrics.address = String(cString: address) }
        }

        /// Reads the times that libcurl does not measure. For libcurl, the first byte may be that of an interim response, or of
        /// the body that it sends. It does not count the time in which a request waits to share a connection.
        private func readOwnTimes() {
            guard let connectStart else { return }
            let head = hasHead ? headStart : nil
            metrics.take(.init(start: connectStart, sending: sendingStart, head: head, end: MonotonicTime.now()))
        }
    }

    extension CurlMetrics {
        /// The points in time that the library measures, in nanoseconds.
        struct OwnTimes {
            let start: Int64
            let sending: Int64?
            let head: Int64?
            let end: Int64
        }

        /// Replaces the times that are known better. All count from one start, or else an exchange would end before it is sent.
        mutating func take(_ own: OwnTimes) {
            func time(of point: Int64) -> Int64 { max((point - own.start) / 1000, 1) }
            if let sending = own.sending { started = time(of: sending) }
            if let head = own.head { firstByte = max(time(of: head), started) }
            finished = max(time(of: own.end), started, firstByte)
        }
    }
#endif
