/// A failure of a connection: an effect, and the moment at which it strikes.
///
/// Every effect can strike at every moment. <doc:Faults> shows what a client sees in each case.
public struct Fault: Sendable {
    /// A moment at which a fault strikes or a response waits.
    public enum Moment: Int, Sendable, CaseIterable {
        /// The connection was accepted, and nothing was read from it.
        case accept
        /// The head of the request was read, and nothing of its body.
        case requestHead
        /// Half of the body of the request was read; of a chunked body, the first chunk.
        case requestBody
        /// The request was read, and nothing of the response was written except for 1xx responses.
        case response
        /// Half of the head of the response was written.
        case responseHead
        /// Half of the body of the response was written; of a body of unknown length, the first portion.
        case responseBody
        /// The whole response was written.
        case end
    }

    /// The effect of a fault.
    public struct Effect: Sendable {
        enum Kind: Sendable {
            case close
            case reset
            case halfClose
            case stall(Gate?)
            case throttle(Throttle)
            case truncate
            case garbage([UInt8])
        }

        let kind: Kind

        /// Closes the connection as the system call `close` does. The written bytes arrive. If the client is still
        /// sending, the system resets the connection.
        public static let close = Effect(kind: .close)

        /// Resets the connection: the client gets `ECONNRESET`.
        public static let reset = Effect(kind: .reset)

        /// Closes the server's side of the connection. The server continues to read, and sends no response.
        public static let halfClose = Effect(kind: .halfClose)

        /// Stops reading and writing until the server stops.
        public static let stall = Effect(kind: .stall(nil))

        /// Stops reading and writing until a gate opens.
        public static func stall(until gate: Gate) -> Effect { Effect(kind: .stall(gate)) }

        /// Limits reading and writing to `bytes` bytes each per interval, from this moment to the end of the
        /// connection.
        public static func throttle(bytes: Int, every interval: Duration) -> Effect {
            Effect(kind: .throttle(Throttle(bytes: max(1, bytes), interval: interval)))
        }

        /// Leaves out the rest of the response and closes the connection without a reset: the server still reads what
        /// the client sends, so that all written bytes arrive.
        public static let truncate = Effect(kind: .truncate)

        /// Sends bytes that are not HTTP instead of the rest of the response, then closes the connection without a
        /// reset. At ``Moment/end``, the connection stays open.
        public static func garbage(_ bytes: some Sequence<UInt8>) -> Effect { Effect(kind: .garbage(Array(bytes))) }

        /// Sends bytes that are not HTTP: a few that are not text, then a line of text.
        public static let garbage = Effect.garbage(
            [0x00, 0xff, 0x16, 0x03, 0x01] + Array("this is no HTTP\r\n\r\n".utf8))

        var endsConnection: Bool {
            switch kind {
            case .close, .reset, .halfClose, .truncate, .garbage: true
            case .stall, .throttle: false
            }
        }
    }

    public let effect: Effect
    public let moment: Moment

    public init(_ effect: Effect, at moment: Moment) {
        self.effect = effect
        self.moment = moment
    }

    /// The reason why the fault has no effect of its own; nil if it has one.
    public var note: String? {
        switch (effect.kind, moment) {
        case (.truncate, .accept), (.truncate, .requestHead), (.truncate, .requestBody), (.truncate, .response):
            "No response has begun, so there is nothing to leave out. The connection closes without a response."
        case (.truncate, .end):
            "The response is complete, so there is nothing to leave out. The connection closes after it."
        case (.garbage, .accept):
            "No request has been read yet. The garbage is sent before any request."
        default: nil
        }
    }
}

/// The number of bytes that pass in each interval.
struct Throttle: Sendable {
    let bytes: Int
    let interval: Duration
}
