extension LoopbackServer {
    /// The number of requests and events that the server records.
    public enum Recording: Sendable, Equatable {
        case all
        /// The newest ones, so that memory use stays constant.
        case last(Int)
        /// None. Waiting for the next request or event still works.
        case none

        var limit: Int {
            switch self {
            case .all: .max
            case .last(let count): max(0, count)
            case .none: 0
            }
        }
    }

    /// The part of request bodies that the server records. It always records their sizes and digests.
    public enum BodyRecording: Sendable, Equatable {
        case all
        case first(Int)
        case none
    }

    /// An error of the server.
    public struct Failure: Error, CustomStringConvertible {
        public let message: String
        /// The error number of the system, or 0.
        public let code: Int32

        public var description: String { message }
    }
}
