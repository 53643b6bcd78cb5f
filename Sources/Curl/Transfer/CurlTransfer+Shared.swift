#if os(Linux)
    import TangoCCurl

    extension CurlTransfer {
        /// The state of a transfer that the loop's driver publishes, and its waiters. Both sides use it under a lock.
        struct Shared: ~Copyable {
            /// The part that the receiver reads.
            var feed: TransferFeed
            /// The head of a response that is delivered as a stream.
            var head: ResponseHead?
            var isLeft = false
            var trailers: [UInt8] = []
            var metrics = CurlMetrics()
            var events: [TransportEvent] = []
            var isNotifying = false
            /// The pin of the server's key, for the rules that report it.
            var presentedPin: PublicKeyPin?
            /// The waiters that continue after all events have been delivered.
            var listeners: [TransferFeed.Waiter] = []
        }

        /// The work for a transfer after a pass.
        struct News {
            fileprivate let transfer: CurlTransfer
            fileprivate let waiter: TransferFeed.Waiter?
            fileprivate let isNotified: Bool
            fileprivate let hasProgressed: Bool

            func deliver() {
                if hasProgressed { transfer.options.progress?.notify() }
                if isNotified { waiter?.go(on: transfer) } else { transfer.notify(before: waiter) }
            }
        }

        /// Publishes new state to the receiver. Returns the work to do after the pass, or nil.
        @inline(never)
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
                    shared.feed.isReporting = true
                }
                if let ending {
                    shared.feed.ending = ending
                    shared.trailers = reception.trailers
                    shared.metrics = metrics
                }
                let waiter = shared.feed.takeWaiter()
                defer { hasProgressed = false }
                guard waiter != nil || !shared.events.isEmpty || hasProgressed else { return nil }
                return News(
                    transfer: self, waiter: waiter, isNotified: !shared.feed.isReporting, hasProgressed: hasProgressed)
            }
        }

        /// Makes room for more, unless the reader has to catch up first. Called by the loop's driver.
        func makeRoom() -> Bool {
            shared.withLock { shared in
                reception.room = loop.configuration.buffer - shared.feed.unread - reception.pending
                if reception.room <= 0 { shared.feed.isHeld = true }
                return reception.room > 0
            }
        }

        /// Delivers the events in order, then resumes the waiter. One thread at a time does this for all threads.
        private func notify(before waiter: TransferFeed.Waiter?) {
            let isFirst = shared.withLock { shared in
                if let waiter { shared.listeners.append(waiter) }
                defer { shared.isNotifying = true }
                return !shared.isNotifying
            }
            guard isFirst else { return }
            while true {
                let (events, listeners) = shared.withLock { shared in
                    var listeners: [TransferFeed.Waiter] = []
                    if shared.events.isEmpty {
                        swap(&listeners, &shared.listeners)
                        shared.isNotifying = false
                        shared.feed.isReporting = false
                        // A reader that came for the end meanwhile.
                        if let reader = shared.feed.takeWaiter() { listeners.append(reader) }
                    }
                    defer { shared.events = [] }
                    return (shared.events, listeners)
                }
                for listener in listeners { listener.go(on: self) }
                if events.isEmpty { return }
                if let onEvent = options.onEvent { for event in events { onEvent(event) } }
            }
        }
    }

    /// The phase, the end and the timeouts of a transfer.
    extension CurlTransfer {
        /// The phase that the transfer has reached.
        var phase: RequestError.Phase {
            let hasUpload = if case .uploaded = content { true } else { false }
            return RequestError.Phase(hasHead: hasHead, isConnected: isConnected, isSending: hasUpload && !isSent)
        }

        /// Records the phase in the progress of the call.
        func notePhase() {
            options.progress?.phase = phase
        }

        @inline(never)
        func error(_ code: RequestError.Code, _ detail: String) -> RequestError {
            RequestError(code, phase: phase, detail: detail, request: request)
        }

        /// Returns the ending of a transfer that libcurl reports as done.
        func ending(for result: CURLcode) -> TransferEnding {
            if result == CURLE_OK { releaseHead() }
            guard failure == nil, result == CURLE_OK || isAnswered || isClosedAfterResponse(result) else {
                return .failure(error(for: result))
            }
            // libcurl reports no error if a connection ends within the head.
            return hasHead
                ? .success
                : .failure(
                    error(
                        .connectionLost,
                        "the connection ended within the head of the response: try again, if the request is idempotent")
                )
        }

        /// Starts the timeout of the connection. libcurl does not count the time in which a request waits to share a
        /// connection.
        func beginConnecting(at now: Int64) {
            connectStart = now
        }

        var deadline: TransferDeadline {
            let part: TransferDeadline.Part =
                if isConnected {
                    isAdded && !isReceivingPaused && !isSendingPaused ? .exchanging(since: lastActivity) : .held
                } else {
                    connectStart.map { .connecting(since: $0) } ?? .held
                }
            return TransferDeadline(whole: wholeDeadline, part, options.timeouts)
        }

        /// Returns the error of a timeout that has passed, or nil.
        func overdue(at now: Int64, lastSocketActivity: (Int32) -> Int64) -> RequestError? {
            var deadline = deadline
            guard deadline.time <= now else { return nil }
            if deadline.code == .idleTimedOut, let handle, !(handle.pool.speaksHTTP2 && mayMultiplex) {
                // libcurl may hold back received bytes, such as half a line. In HTTP/2, bytes may belong to other
                // transfers.
                lastActivity = max(lastActivity, lastSocketActivity(handle.socket))
                deadline = self.deadline
                guard deadline.time <= now else { return nil }
            }
            return error(deadline.code, options.detail(of: deadline.code))
        }
    }
#endif
