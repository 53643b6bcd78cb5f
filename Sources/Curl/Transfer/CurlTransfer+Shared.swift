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
    }
#endif
