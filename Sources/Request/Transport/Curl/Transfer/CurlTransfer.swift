#if os(Linux)
    import Synchronization
    import TangoCCurl

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// One request and its response.
    ///
    /// Whoever drives the loop fills it; what is new is published to its caller, and then to the reader of its body, at the
    /// end of each pass. So a small response reaches its caller in one piece, in one step.
    final class CurlTransfer: Transfer, @unchecked Sendable {
        /// How the body of the request is handed to libcurl.
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
        /// Whether the head is too long for HTTP/2.
        let hasLongHead: Bool
        let upload: (any CurlUpload)?
        let loop: CurlLoop
        /// Nil is what the system trusts.
        let trust: CurlTrust?

        // All of this belongs to whoever drives the loop.
        var handle: CurlHandle?
        var isAdded = false
        /// Whether it counts towards the limits.
        var isAdmitted = false
        /// Its place among those that wait for their turn.
        var queuePlace: AdmissionQueue<CurlTransfer>.Place?
        var place: Int?
        var isNoted = false
        /// Whether the follower of its progress is to be notified after this pass.
        private var hasProgressed = false
        var isReceivingPaused = false
        var isSendingPaused = false
        var lastActivity: Int64 = 0
        /// How much of the body libcurl has handed to the network, where it tells.
        private(set) var passed = 0
        var totalDeadline = Int64.max
        var connectDeadline = Int64.max
        var failure: RequestError?
        var ending: TransferEnding?
        var metrics = CurlMetrics()
        private(set) var isConnected = !CurlLibrary.announcesRequests
        private var announcements = 0
        /// Whether it wants a connection of its own.
        private(set) var isAnew: Bool
        private(set) var isSent = false
        /// Whether libcurl was kept from asking again when the answer was there.
        private(set) var isAnswered = false
        var reception: CurlReception

        var hasHead: Bool { reception.isHeadComplete }

        let shared: Mutex<Shared>

        init(
            _ request: HTTPRequest, options: TransportOptions, on loop: CurlLoop,
            completion: @escaping TransportCompletion
        ) throws {
            self.request = request
            self.options = options
            self.loop = loop
            shared = Mutex(Shared(feed: TransferFeed(completion: completion)))
            address = try ServerAddress(of: request)
            trust = try loop.trusts.trust(for: request, at: address, options.trust)
            reception = CurlReception(loop.buffers)
            url = try CurlTransfer.url(of: request, certificateName: trust?.tls.certificateName)
            decodes = options.decodes(request)
            hasLongHead = request.headLength > CurlLibrary.longestHeadInHTTP2
            (content, upload) = try CurlTransfer.content(of: request, options: options)
            isAnew = Self.staysAlone(request, isAnnounced: CurlLibrary.announcesRequests)
            upload?.attach(to: self)
        }

        // MARK: What libcurl calls

        /// The connection is there, and the request is about to be sent. Returns whether it may be.
        func announce() -> Bool {
            isConnected = true
            lastActivity = loop.now
            loop.watchDeadline(of: self)
            announcements += 1
            passed = 0
            // After a 417, libcurl asks again without the expectation. Whether that makes sense is for others to say.
            isAnswered = reception.isHeadComplete
            if isAnswered { return false }
            guard announcements > 1 else { return true }
            // The server has said that it has not looked at it, or it makes no difference whether it has.
            if handle?.isRefused == true || request.isIdempotent {
                guard beginsAgain() else { return false }
                handle?.forgetRefusal()
                return true
            }
            // libcurl would send it once more on a new connection, as nothing has come back on the old one.
            failure = RequestError(
                .connectionLost, phase: .wait,
                detail: "the server closed the connection without an answer; a \(request.method) request is not sent "
                    + "again, as it may have been heard",
                request: request)
            return false
        }

        /// Whether the body can be sent from its beginning. Before 8.7, libcurl forgets what it has read of one where nothing
        /// of that was sent, and would go on behind it.
        private func beginsAgain() -> Bool {
            guard let upload, upload.position > 0 else { return true }
            guard rewind() else {
                failure = error(for: CURLE_SEND_FAIL_REWIND)
                return false
            }
            isSent = false
            return true
        }

        /// Whether a request must not go out on a connection that was used before: where libcurl does not announce it, nobody
        /// can keep it from being sent once more when that connection ends.
        static func staysAlone(_ request: HTTPRequest, isAnnounced: Bool) -> Bool {
            !isAnnounced && !request.isIdempotent
        }

        /// Whether it is to begin again on a new connection, after libcurl has given up.
        ///
        /// A server that says goodbye in HTTP/2 finishes what it has begun, and refuses what comes later. libcurl goes on to
        /// offer that connection to requests that it sends again, and gives up after a few times.
        func startsAnew(after result: CURLcode) -> Bool {
            guard mayMultiplex, !isAnew, !hasHead, failure == nil, let handle, request.isIdempotent || handle.isRefused
            else { return false }
            switch result {
            case CURLE_HTTP2, CURLE_HTTP2_STREAM: break
            case CURLE_SEND_ERROR, CURLE_RECV_ERROR:
                guard handle.message.hasPrefix("Connection died, tried") else { return false }
            default: return false
            }
            guard rewind() else { return false }
            isAnew = true
            isConnected = !CurlLibrary.announcesRequests
            isSent = false
            announcements = 0
            return true
        }

        func receive(line: UnsafeRawBufferPointer) -> Bool {
            lastActivity = loop.now
            switch reception.receive(line: line) {
            case .more: return true
            case .informational(let head):
                if options.onEvent != nil { reception.events.append(.informational(head.status, head.headers)) }
                loop.note(self)
                return true
            case .complete:
                isSent = true
                if mayMultiplex, reception.isHTTP2 { handle?.pool.speaksHTTP2 = true }
                loop.note(self)
                if content != .none { loop.noteAnswer(to: self) }
                return true
            case .tooLong(let limit):
                failure = error(.badResponse, "the head of the response is longer than \(limit) bytes")
                return false
            case .malformed:
                failure = error(.badResponse, "the head of the response is not HTTP")
                return false
            }
        }

        func receive(portion: UnsafeRawBufferPointer) -> Reception {
            lastActivity = loop.now
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
            if content != .none { loop.noteAnswer(to: self) }
            if options.onEvent != nil {
                reception.events.append(.received(bytes: reception.total, of: reception.announcedLength))
            }
            if let progress = options.progress { noteReceived(in: progress) }
            if options.delivery == .stream { loop.note(self, bytes: portion.count) }
            if options.onEvent != nil { loop.note(self) }
            return .taken
        }

        private func noteReceived(in progress: TransportProgress) {
            // The total costs a look at the head, which is had when somebody follows.
            let total = progress.isWanted || options.onEvent != nil ? reception.announcedLength : nil
            progress.record {
                $0.received = max($0.received, reception.total)
                $0.receivedTotal = total ?? $0.receivedTotal
            }
            noteProgressed(progress)
        }

        /// Has the follower notified after this pass, because it must not run while a thread drives.
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

        /// Notes how much has passed in all, at the end.
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

        /// Has libcurl pause after this portion rather than before it: what it has decoded already it would have to keep, and
        /// there is a limit to how much.
        private func isPausedAfter() -> Bool {
            guard isDecodedByLibrary else { return false }
            if !isReceivingPaused, let handle {
                isReceivingPaused = true
                handle.pauseReceiving()
            }
            return true
        }

        /// Whether libcurl decodes the body: as it was asked to, or because it was encoded on its way.
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
                if count == 0 || upload.position == upload.length { isSent = true }
                return .some(count)
            case .later:
                isSendingPaused = true
                return .later
            case .failed(let error):
                failure = error.with(request)
                return .failed
            }
        }

        /// Something of the body has left. libcurl reads it in large portions, each of which may take long.
        func pass(_ count: Int) {
            guard count > passed else { return }
            passed = count
            lastActivity = loop.now
        }

        /// Whether that is wanted: where a connection is shared, its socket does not tell for whom it is active.
        var countsWhatPasses: Bool {
            if case .uploaded = content { isSecure && loop.configuration.http2 } else { false }
        }

        func rewind() -> Bool {
            upload?.rewind() ?? true
        }

        /// Whether so many bytes more may come out of what was received. libcurl decodes transfer codings that nobody asked for.
        private func allows(_ count: Int) -> Bool {
            let decompression = options.decodingLimits(decodes: decodes)
            let decoded = reception.total + count
            guard decoded > decompression.allowance || decoded > decompression.limit ?? .max else { return true }
            var received: Int64 = 0
            if let handle { _ = tango_curl_get_offset(handle.easy, CURLINFO_SIZE_DOWNLOAD_T, &received) }
            if decompression.allows(decoded, from: Int(received)) { return true }
            failure = error(
                .decompressionLimit, "\(received) bytes were decoded to more than \(decoded), which is not allowed")
            return false
        }

        // MARK: What its caller sees

        /// What is to be done for a transfer after a pass.
        struct News {
            fileprivate let transfer: CurlTransfer
            fileprivate let waiter: TransferFeed.Waiter?
            fileprivate let isTold: Bool
            fileprivate let hasProgressed: Bool

            func deliver() {
                if hasProgressed { transfer.options.progress?.tell() }
                if isTold { waiter?.go(on: transfer) } else { transfer.tell(before: waiter) }
            }
        }

        /// Shows what is new to the other side.
        func publish() -> News? {
            let isWhole = options.delivery != .stream
            return shared.withLock { shared in
                if reception.isHeadComplete, !shared.feed.hasHead, !isWhole || ending != nil {
                    shared.feed.hasHead = true
                    if !isWhole { shared.head = reception.parsedHead }
                }
                if !isWhole { shared.feed.add(reception.takePortions()) }
                if !reception.events.isEmpty {
                    shared.events += reception.events
                    reception.events = []
                }
                if let ending {
                    shared.feed.ending = ending
                    shared.trailers = reception.trailers
                    shared.metrics = metrics
                }
                let waiter = shared.feed.takeWaiter()
                defer { hasProgressed = false }
                guard waiter != nil || !shared.events.isEmpty || hasProgressed else { return nil }
                return News(transfer: self, waiter: waiter, isTold: shared.isTold, hasProgressed: hasProgressed)
            }
        }

        /// Makes room for more, unless the reader has to catch up first. Called by whoever drives.
        private func makeRoom() -> Bool {
            shared.withLock { shared in
                reception.room = loop.configuration.atLeastSomeBuffer - shared.feed.unread - reception.pending
                if reception.room <= 0 { shared.feed.isHeld = true }
                return reception.room > 0
            }
        }

        /// Tells the events in their order, before somebody goes on: one thread at a time does, for all.
        private func tell(before waiter: TransferFeed.Waiter?) {
            let isFirst = shared.withLock { shared in
                if let waiter { shared.listeners.append(waiter) }
                defer { shared.isTelling = true }
                return !shared.isTelling
            }
            guard isFirst else { return }
            while true {
                let (events, listeners) = shared.withLock { shared in
                    var listeners: [TransferFeed.Waiter] = []
                    if shared.events.isEmpty {
                        swap(&listeners, &shared.listeners)
                        shared.isTelling = false
                    }
                    defer { shared.events = [] }
                    return (shared.events, listeners)
                }
                for listener in listeners { listener.go(on: self) }
                if events.isEmpty { return }
                if let onEvent = options.onEvent { for event in events { onEvent(event) } }
            }
        }

        func start() {
            loop.submit(.start(self))
        }

        var isLeft: Bool { shared.withLock(\.isLeft) }

        /// The caller, or the reader, does not want it any more.
        func leave() {
            let isUnderWay = shared.withLock { shared in
                defer { shared.isLeft = true }
                return shared.feed.ending == nil && !shared.isLeft
            }
            if isUnderWay { loop.submit(.leave(self)) }
        }
    }
#endif
