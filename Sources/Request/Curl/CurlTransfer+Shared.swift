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
                case response(UnsafeContinuation<Void, Never>)
                case portion(UnsafeContinuation<Void, Never>)
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
            var listeners: [UnsafeContinuation<Void, Never>] = []

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

        mutating func takeWaiter() -> UnsafeContinuation<Void, Never>? {
            switch waiter {
            case .response(let continuation) where hasHead || ending != nil:
                waiter = nil
                return continuation
            case .portion(let continuation) where !portions.isEmpty || ending != nil:
                waiter = nil
                return continuation
            default: return nil
            }
        }
    }
#endif
