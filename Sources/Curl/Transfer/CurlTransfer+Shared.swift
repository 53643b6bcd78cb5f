#if os(Linux)
    extension CurlTransfer {
        /// The state of a transfer that the loop's driver publishes, and its waiters. Both sides use it under a lock.
        struct Shared {
            /// The part that the receiver reads.
            var feed: TransferFeed
            /// The head of a response that is delivered as a stream.
            var head: ResponseHead?
            var isLeft = false
            var trailers: [UInt8] = []
            var metrics = CurlMetrics()
            var events: [TransportEvent] = []
            var isTelling = false
            /// The pin of the server's key, for the rules that report it.
            var presentedPin: PublicKeyPin?
            /// The waiters that continue after all events have been delivered.
            var listeners: [TransferFeed.Waiter] = []
        }

        /// The work for a transfer after a pass.
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
                    transfer: self, waiter: waiter, isTold: !shared.feed.isReporting, hasProgressed: hasProgressed)
            }
        }

        /// Makes room for more, unless the reader has to catch up first. Called by the loop's driver.
        func makeRoom() -> Bool {
            shared.withLock { shared in
                reception.room = loop.configuration.atLeastSomeBuffer - shared.feed.unread - reception.pending
                if reception.room <= 0 { shared.feed.isHeld = true }
                return reception.room > 0
            }
        }

        /// Delivers the events in order, then resumes the waiter. One thread at a time does this for all threads.
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
#endif
