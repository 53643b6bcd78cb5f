extension LoopbackServer {
    /// An event at the server. Events are recorded in the order in which they happened.
    public enum Event: Sendable, Hashable {
        /// The side that ended a connection.
        public enum Side: Sendable {
            case client
            case server
        }

        case accepted(connection: Int)
        /// The head of a request was read, and its body follows.
        case head(connection: Int, exchange: Int)
        /// A request was read.
        case request(connection: Int, exchange: Int)
        /// The last byte of a response was handed to the system.
        case answered(connection: Int, exchange: Int)
        /// The connection was closed. If the client closed it, the server may still be sending a response.
        case closed(connection: Int, by: Side)
        /// The connection was reset.
        case reset(connection: Int, by: Side)
        /// A connection could not be accepted, mostly for lack of descriptors. The server tries again.
        case acceptFailed(code: Int32)
    }

    /// The state of a connection.
    public enum ConnectionState: UInt8, Sendable {
        case open
        case closedByClient
        case closedByServer
        case resetByClient
        case resetByServer
    }

    /// The states of all connections, in the order in which they were accepted.
    public struct Connections: Sendable {
        public internal(set) var states: [ConnectionState] = []
        /// The number of open connections.
        public internal(set) var open = 0

        /// The number of connections accepted so far.
        public var accepted: Int { states.count }

        public subscript(number: Int) -> ConnectionState { states[number] }
    }
}
