#if os(Linux)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension CurlTransfer {
        /// What whoever drives the loop has published of a transfer, and who waits for more. Both sides use it, under a
        /// lock.
        struct Shared {
            /// The part that the receiver reads.
            var feed: TransferFeed
            /// The head of a response whose body is still on its way.
            var head: ResponseHead?
            var isLeft = false
            var trailers: [UInt8] = []
            var metrics = CurlMetrics()
            var events: [TransportEvent] = []
            var isTelling = false
            /// Who goes on when all has been told.
            var listeners: [TransferFeed.Waiter] = []

            var isTold: Bool { !isTelling && events.isEmpty }
        }
    }
#endif
