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
            enum Waiter {
                case response(TransportCompletion)
                case portion(UnsafeContinuation<Void, Never>)

                func go(on transfer: CurlTransfer) {
                    switch self {
                    case .response(let completion): completion { try transfer.response() }
                    case .portion(let continuation): continuation.resume()
                    }
                }
            }

            /// Whether the caller may have the head.
            var hasHead = false
            /// The head of a response whose body is still on its way.
            var head: ResponseHead?
            var portions: ArraySlice<Data> = []
            /// How many bytes are in `portions`.
            var unread = 0
            var isPaused = false
            var isLeft = false
            var trailers: [UInt8] = []
            var metrics = CurlMetrics()
            var ending: Ending?
            var waiter: Waiter?
            var events: [TransportEvent] = []
            var isTelling = false
            /// Who goes on when all has been told.
            var listeners: [Waiter] = []

            var isTold: Bool { !isTelling && events.isEmpty }
        }
    }

    extension CurlTransfer.Shared {
        enum Step {
            case portion(Data)
            case end(CurlTransfer.Ending)
            case wait
        }

        /// What a reader gets now, and whether there is room for more again.
        mutating func step(below mark: Int) -> (Step, resumes: Bool) {
            if case .cancelled = ending { return (.end(.cancelled), false) }
            guard let portion = portions.popFirst() else { return (ending.map { .end($0) } ?? .wait, false) }
            unread -= portion.count
            guard isPaused, unread <= mark, ending == nil else { return (.portion(portion), false) }
            isPaused = false
            return (.portion(portion), true)
        }

        mutating func takeWaiter() -> Waiter? {
            switch waiter {
            case .response where hasHead || ending != nil, .portion where !portions.isEmpty || ending != nil:
                defer { waiter = nil }
                return waiter
            default: return nil
            }
        }
    }
#endif
