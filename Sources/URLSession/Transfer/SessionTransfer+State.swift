#if canImport(Darwin) || URLSessionOnLinux
    extension SessionTransfer {
        /// The state of a transfer, with its waiter.
        struct State {
            /// Retained until the transfer is over, because it retains the session.
            var core: SessionCore?
            var task: URLSessionDataTask?
            var head: SessionHead?
            /// The part that the receiver reads.
            var feed: TransferFeed
            var whole = Data()
            var total = 0
            var sent = 0
            var preparation: Task<Void, Never>?

            var isAdmitted = false
            var isConnected = false
            var isSent = false
            var isBodyAwaited = false
            var lastActivity: Int64 = 0
            var interim = InterimResponses()
            var wholeDeadline = Int64.max
            var scheduled = Int64.max
            var timer: SessionTimer?

            var started: Int64 = 0
            var firstByte: Int64 = 0
            var finished: Int64 = 0
            /// The measurements of the system, if there are any.
            var measured: AttemptMetrics?

            init(core: SessionCore, completion: @escaping TransportCompletion) {
                self.core = core
                feed = TransferFeed(completion: completion)
            }
        }
    }

    extension SessionTransfer.State {
        /// The objects to notify and release at the end of a transfer.
        struct End {
            let waiter: TransferFeed.Waiter?
            let timer: SessionTimer?
            let preparation: Task<Void, Never>?
            /// The core from which a transfer without a task must be withdrawn.
            let core: SessionCore?
        }

        /// Ends the transfer. Returns nil if it has ended already.
        mutating func end(_ ending: TransferEnding, at now: Int64) -> End? {
            guard feed.ending == nil else { return nil }
            feed.ending = ending
            feed.hasHead = head != nil
            finished = now
            defer {
                timer = nil
                preparation = nil
            }
            return End(
                waiter: feed.takeWaiter(), timer: timer, preparation: preparation, core: task == nil ? core : nil)
        }

        /// The phase that the transfer has reached, as far as it is known.
        func phase(hasBody: Bool) -> RequestError.Phase {
            RequestError.Phase(hasHead: head != nil, isConnected: isConnected, isSending: hasBody && !isSent)
        }

        /// The part of the transfer that its timeouts depend on.
        func deadlinePart(hasBody: Bool) -> TransferDeadline.Part {
            guard isAdmitted, !feed.isHeld, !isBodyAwaited else { return .held }
            if isConnected { return .exchanging(since: lastActivity) }
            // The first byte of a body that is sent indicates that the connection is established. Without a body,
            // nothing tells connecting from waiting.
            return hasBody ? .connecting(since: lastActivity) : .connectingOrWaiting(since: lastActivity)
        }

        var metrics: AttemptMetrics {
            var metrics = measured ?? AttemptMetrics()
            if measured == nil {
                if firstByte > 0 { metrics.firstByte = .nanoseconds(firstByte - started) }
                if finished > 0 { metrics.finished = .nanoseconds(finished - started) }
                metrics.bodyBytesReceived = head?.isEncoded == true ? head?.headers.contentLength ?? total : total
            }
            metrics.bodyBytesSent = sent
            return metrics
        }
    }
#endif
