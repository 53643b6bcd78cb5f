#if os(Linux)
    import Synchronization
    import TangoCCurl

    /// A request and its response, transmitted by libcurl.
    ///
    /// The loop's driver fills it. At the end of each pass, new state is published to the caller, and later to the
    /// reader of the body. So a small response reaches the caller in one step.
    final class CurlTransfer: Transfer, @unchecked Sendable {
        /// The form in which libcurl gets the body of the request.
        enum Content: Equatable {
            case none
            case posted(Data)
            case uploaded(length: Int?)
        }

        enum Reception {
            case taken
            case later
            case refused
        }

        enum Sending {
            case some(Int)
            case later
            case failed
        }

        let request: HTTPRequest
        let options: TransportOptions
        let address: ServerAddress
        let url: String
        let content: Content
        let decodes: Bool
        /// A Boolean value that indicates whether the head is too long for HTTP/2.
        let hasLongHead: Bool
        let upload: (any CurlUpload)?
        let loop: CurlLoop
        /// Nil for the rules of the system.
        let trust: CurlTrust?

        // Used by the loop's driver only.
        var handle: CurlHandle?
        var isAdded = false
        /// A Boolean value that indicates whether the transfer begins once its upload has been opened.
        var isOpening = false
        /// A Boolean value that indicates whether the transfer counts towards the limits.
        var isAdmitted = false
        /// The place in the queue, if the transfer waits.
        var queuePlace: AdmissionQueue<CurlTransfer>.Place?
        var place: Int?
        var isNoted = false
        /// A Boolean value that indicates whether the follower of the progress is notified after this pass.
        var hasProgressed = false
        var isReceivingPaused = false {
            didSet { if !isReceivingPaused { hasGivenWay = false } }
        }
        /// A Boolean value that indicates whether receiving is paused only so that other transfers get their turn.
        private(set) var hasGivenWay = false
        var isSendingPaused = false
        var lastActivity: Int64 = 0
        /// The number of bytes of the body that libcurl has sent, if it counts them.
        private(set) var passed = 0
        var wholeDeadline = Int64.max
        /// When libcurl began to connect; nil before.
        var connectStart: Int64?
        /// When the request was about to be sent; nil before, and if libcurl does not announce requests.
        private(set) var sendingStart: Int64?
        /// When the latest head began, that of an interim response or of the final one.
        private(set) var headStart: Int64?
        var failure: RequestError?
        var ending: TransferEnding?
        var metrics = CurlMetrics()
        private(set) var isConnected = !CurlLibrary.announcesRequests
        private var announcements = 0
        /// A Boolean value that indicates whether the transfer needs a new connection.
        private(set) var isAnew: Bool
        /// A Boolean value that indicates whether the request was not sent on an idle connection, because bytes without a
        /// request or the end of the connection had arrived on it.
        private(set) var leavesConnection = false
        private(set) var isSent = false
        /// A Boolean value that indicates whether libcurl was prevented from repeating the request after a response.
        private(set) var isAnswered = false
        var reception: CurlReception

        var hasHead: Bool { reception.isHeadComplete }

        let shared: Mutex<Shared>

        init(
            _ request: HTTPRequest, to address: ServerAddress, options: TransportOptions, on loop: CurlLoop,
            completion: @escaping TransportCompletion
        ) throws {
            self.request = request
            self.address = address
            self.options = options
            self.loop = loop
            shared = Mutex(Shared(feed: TransferFeed(completion: completion)))
            trust = try loop.trusts.trust(for: request, at: address, options.trust)
            reception = CurlReception(loop.buffers)
            url = try CurlTransfer.url(of: request, certificateName: trust?.tls.certificateName)
            decodes = options.decodes(request)
            hasLongHead = request.headLength > CurlLibrary.longestHeadInHTTP2
            (content, upload) = try CurlTransfer.content(of: request, options: options)
            isAnew =
                options.needsNewConnection || Self.staysAlone(request, isAnnounced: CurlLibrary.announcesRequests)
            if loop.configuration.http3 == .required, let problem = versionChoice.problem {
                throw RequestError(.unsupported, phase: .prepare, detail: problem, request: request)
            }
            upload?.attach(to: self)
        }

        // MARK: What libcurl calls

        /// Called when the connection is established and the request is about to be sent. Returns whether to send it.
        ///
        /// - Parameter port: The local port of the connection.
        func announce(from port: Int) -> Bool {
            guard announcements > 0 || isAnew || loop.sockets.isSilent(connectionAt: port) else {
                leavesConnection = true
                return false
            }
            isConnected = true
            notePhase()
            lastActivity = loop.now
            sendingStart = MonotonicTime.now()
            loop.watchDeadline(of: self)
            announcements += 1
            passed = 0
            // After a 417, libcurl sends the request again without its `Expect` field. That decision is left to the
            // caller.
            isAnswered = reception.isHeadComplete
            if isAnswered { return false }
            guard announcements > 1 else { return true }
            // The proxy has not passed the request on.
            if reception.isHeadHeld { return rewindToBeginning() }
            // libcurl would send the request again on a new connection, because nothing was received on the old one. It
            // would do so up to five times.
            failure = unanswered
            return false
        }

        /// Prepares for a new connection, before anything has been sent.
        func needNewConnection() {
            isAnew = true
            leavesConnection = false
        }

        /// The error of a request whose connection was lost before a response began.
        private var unanswered: RequestError {
            let reason = "the server closed the connection without a response"
            let code: RequestError.Code =
                handle?.isRefused == true
                ? .notProcessed
                : request.isIdempotent && !request.body.isReplayable ? .bodyNotReplayable : .connectionLost
            let detail =
                code == .connectionLost && !request.isIdempotent
                ? "\(reason); a \(request.method) request is not sent again, because the server may have processed it: "
                    + "check that before you send it again"
                : code.detail(for: address, options.timeouts, message: reason)
            return RequestError(code, phase: .wait, detail: detail, request: request)
        }

        /// Rewinds the body. Returns false if that is impossible. Before 8.7, libcurl does not rewind a body that it
        /// has read but not sent, and would skip the part that it has read.
        private func rewindToBeginning() -> Bool {
            guard let upload, upload.position > 0 else { return true }
            guard rewind() else {
                failure = error(for: CURLE_SEND_FAIL_REWIND)
                return false
            }
            isSent = false
            return true
        }

        /// Returns whether a request needs a new connection. If libcurl does not announce requests, it may send a
        /// request again, unnoticed, when a reused connection ends.
        static func staysAlone(_ request: HTTPRequest, isAnnounced: Bool) -> Bool {
            !isAnnounced && !request.isIdempotent
        }

        func receive(line: UnsafeRawBufferPointer) -> Bool {
            lastActivity = loop.now
            if reception.isBeforeHead { headStart = MonotonicTime.now() }
            switch reception.receive(line: line, isObserved: options.onEvent != nil) {
            case .more: return true
            case .informational(let head):
                reception.events.append(.informational(head.status, head.headers))
                loop.note(self)
                return true
            case .complete:
                let mayRepeat = loop.configuration.proxy.respondsToChallenges && !isSecure
                if !mayRepeat || !reception.holdRejectionByProxy() { noteHead() }
                return true
            case .bad(let problem):
                failure = error(.badResponse, problem)
                return false
            }
        }

        private func noteHead() {
            // The server would take the next request of the connection for the rest of this body.
            if reception.isHTTP1, lacksBody { handle?.setReuse(isForbidden: true) }
            isSent = true
            notePhase()
            if trust?.rules.reporters.isEmpty == false, let pin = handle?.presentedPin {
                shared.withLock { $0.presentedPin = pin }
            }
            if mayMultiplex, reception.isHTTP2 { handle?.pool.speaksHTTP2 = true }
            loop.note(self)
            if content != .none { loop.noteResponse(to: self) }
        }

        /// A Boolean value that indicates whether the server has responded before all of the announced body was sent. If it was to
        /// confirm first that it wants the body, libcurl sends none of it, and would use the connection again.
        private var lacksBody: Bool {
            guard content != .none, let handle else { return false }
            let length = if case .posted(let data) = content { Optional(data.count) } else { upload?.length }
            guard let length else { return !isSent }
            var sent: Int64 = 0
            _ = tango_curl_get_offset(handle.easy, CURLINFO_SIZE_UPLOAD_T, &sent)
            return sent < length
        }

        /// Makes the rejection by a proxy the response, if libcurl has not sent the request again.
        func releaseHead() {
            if reception.releaseHead() { noteHead() }
        }

        func receive(portion: UnsafeRawBufferPointer) -> Reception {
            lastActivity = loop.now
            releaseHead()
            guard allows(portion.count) else { return .refused }
            if let excess = options.excess(of: portion.count, after: reception.total) {
                failure = excess
                return .refused
            }
            if options.delivery == .stream {
                guard reception.room > 0 || makeRoom() || isPausedAfter() else {
                    isReceivingPaused = true
                    return .later
                }
            }
            reception.take(portion, asStream: options.delivery == .stream)
            if content != .none { loop.noteResponse(to: self) }
            if options.onEvent != nil {
                reception.events.append(.received(bytes: reception.total, of: reception.announcedLength))
            }
            if let progress = options.progress { noteReceived(in: progress) }
            if options.delivery == .stream { loop.note(self, bytes: portion.count) }
            if options.onEvent != nil { loop.note(self) }
            loop.count(portion.count, of: self)
            return .taken
        }

        /// Pauses receiving after this portion, so that other transfers get their turn. Returns false if that is
        /// impossible: in HTTP/2, pausing a stream changes its window.
        func giveWay() -> Bool {
            guard !isReceivingPaused, reception.isHTTP1, let handle else { return false }
            isReceivingPaused = true
            hasGivenWay = true
            handle.pauseReceiving()
            return true
        }

        private func noteReceived(in progress: TransportProgress) {
            // Computing the total parses the head, so it is only done for a follower.
            let isWanted = progress.isWanted || options.onEvent != nil
            if isWanted, reception.isRedirect { progress.ignoreReceived() }
            let total = isWanted ? reception.announcedLength : nil
            progress.record {
                $0.received = max($0.received, reception.total)
                $0.receivedTotal = total ?? $0.receivedTotal
            }
            noteProgressed(progress)
        }

        /// Notifies the follower after this pass, because it must not run under the lock of the loop.
        private func noteProgressed(_ progress: TransportProgress) {
            guard progress.isWanted else { return }
            hasProgressed = true
            if ending == nil { loop.note(self) }
        }

        private func noteSent(in progress: TransportProgress) {
            guard let upload else { return }
            progress.record {
                $0.sent = max($0.sent, upload.position)
                $0.sentTotal = upload.length
            }
            noteProgressed(progress)
        }

        /// Records the final progress.
        func noteProgress() {
            guard let progress = options.progress else { return }
            if case .posted(let data) = content, hasHead {
                progress.record {
                    $0.sent = data.count
                    $0.sentTotal = data.count
                }
                noteProgressed(progress)
            }
            noteSent(in: progress)
            if hasHead { noteReceived(in: progress) }
        }

        /// Pauses libcurl after this portion instead of before it, if libcurl decodes the body. Otherwise libcurl would
        /// have to buffer the decoded bytes, and its buffer is limited.
        private func isPausedAfter() -> Bool {
            guard isDecodedByLibrary else { return false }
            if !isReceivingPaused, let handle {
                isReceivingPaused = true
                handle.pauseReceiving()
            }
            return true
        }

        /// A Boolean value that indicates whether libcurl decodes the body: as requested, or because of its transfer
        /// encoding.
        var isDecodedByLibrary: Bool { decodes && reception.isEncoded || reception.isTransferEncoded }

        func send(into buffer: UnsafeMutableRawBufferPointer) -> Sending {
            lastActivity = loop.now
            guard let upload else { return .failed }
            switch upload.read(into: buffer) {
            case .some(let count):
                if let progress = options.progress { noteSent(in: progress) }
                if count > 0, options.onEvent != nil {
                    reception.events.append(.sent(bytes: upload.position, of: upload.length))
                    loop.note(self)
                }
                if count == 0 || upload.position == upload.length {
                    isSent = true
                    notePhase()
                }
                return .some(count)
            case .later:
                isSendingPaused = true
                return .later
            case .failed(let error):
                failure = error.with(request)
                return .failed
            }
        }

        /// Records the number of bytes sent. libcurl reads the body in large portions, each of which may take long to
        /// send.
        func pass(_ count: Int) {
            guard count > passed else { return }
            passed = count
            lastActivity = loop.now
        }

        /// A Boolean value that indicates whether sent bytes are counted. The activity of a shared connection may
        /// belong to others.
        var countsWhatPasses: Bool {
            if case .uploaded = content { isSecure && loop.configuration.http2 } else { false }
        }

        func rewind() -> Bool {
            upload?.rewind() ?? true
        }

        /// Returns whether further bytes are within the limits of decoding. libcurl also decodes transfer codings by
        /// itself.
        private func allows(_ count: Int) -> Bool {
            let decompression = options.decodingLimits(decodes: decodes)
            let decoded = reception.total + count
            guard decoded > decompression.allowance || decoded > decompression.limit ?? .max, isDecodedByLibrary
            else { return true }
            var received: Int64 = 0
            if let handle { _ = tango_curl_get_offset(handle.easy, CURLINFO_SIZE_DOWNLOAD_T, &received) }
            if decompression.allows(decoded, from: Int(received)) { return true }
            failure = error(
                .decompressionLimit,
                "\(received) bytes were decoded to more than \(decoded): if you trust the server, raise the limits of `decompression`"
            )
            return false
        }

        func start() {
            loop.submit(.start(self))
        }

        var isLeft: Bool { shared.withLock { $0.isLeft } }

        /// Ends the transfer, because the caller or the reader does not need it any more.
        func leave() {
            let isInFlight = shared.withLock { shared in
                defer { shared.isLeft = true }
                return shared.feed.ending == nil && !shared.isLeft
            }
            if isInFlight { loop.submit(.leave(self)) }
        }
    }
#endif
