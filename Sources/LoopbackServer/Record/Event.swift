extension LoopbackServer {
    /// Something that happened at the server, in the order in which it happened.
    public enum Event: Sendable, Hashable {
        /// Who ended a connection.
        public enum Side: Sendable {
            case client
            case server
        }

        case accepted(connection: Int)
        /// The head of a request was read, and its body is to follow.
        case head(connection: Int, exchange: Int)
        /// A request was read.
        case request(connection: Int, exchange: Int)
        /// The last byte of an answer was handed to the system.
        case answered(connection: Int, exchange: Int)
        /// The connection has ended in order. If by the client, an answer may still be on its way to it.
        case closed(connection: Int, by: Side)
        /// The connection was broken off.
        case reset(connection: Int, by: Side)
        /// No connection could be accepted, for lack of descriptors mostly: the server tries again.
        case acceptFailed(code: Int32)
    }

    /// What became of a connection.
    public enum ConnectionState: UInt8, Sendable {
        case open
        case closedByClient
        case closedByServer
        case resetByClient
        case resetByServer
    }

    /// What became of all connections, in the order in which they were accepted.
    public struct Connections: Sendable {
        public internal(set) var states: [ConnectionState] = []
        /// How many are open.
        public internal(set) var open = 0

        /// How many were accepted.
        public var accepted: Int { states.count }

        public subscript(number: Int) -> ConnectionState { states[number] }
    }
}
