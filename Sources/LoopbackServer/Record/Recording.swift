extension LoopbackServer {
    /// How many requests and events the server remembers.
    public enum Recording: Sendable, Equatable {
        case all
        /// The newest, so that memory stays flat.
        case last(Int)
        /// None; waiting for the next request or event still works.
        case none

        var limit: Int {
            switch self {
            case .all: .max
            case .last(let count): max(0, count)
            case .none: 0
            }
        }
    }

    /// How much of the bodies of requests the server remembers. Their sizes and digests it always knows.
    public enum BodyKeeping: Sendable, Equatable {
        case all
        case first(Int)
        case none
    }

    /// What the server cannot do, and why.
    public struct Failure: Error, CustomStringConvertible {
        public let message: String
        /// The number that the system gives the error; 0 if it is not one of the system's.
        public let code: Int32

        public var description: String { message }
    }
}
