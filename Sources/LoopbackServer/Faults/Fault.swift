/// Something that goes wrong with a connection: an effect, and the moment at which it strikes.
///
/// Every effect can strike at every moment. <doc:Faults> says what a client sees of each.
public struct Fault: Sendable {
    /// When a fault strikes, or an answer waits.
    public enum Moment: Int, Sendable, CaseIterable {
        /// The connection was accepted, and nothing was read from it.
        case accept
        /// The head of the request was read, and nothing of its body.
        case requestHead
        /// Half of the body of the request was read; the first of its chunks, if it is chunked.
        case requestBody
        /// The request was read, and nothing of the answer was written, except for 1xx.
        case response
        /// Half of the head of the answer was written.
        case responseHead
        /// Half of the body of the answer was written; its first portion, if its length is not known.
        case responseBody
        /// The whole answer was written.
        case end
    }

    /// What happens.
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

        /// The connection is closed as `close` does it: what was written arrives, unless the client is still sending; then
        /// the system answers with a reset.
        public static let close = Effect(kind: .close)

        /// The connection is reset: `ECONNRESET`.
        public static let reset = Effect(kind: .reset)

        /// The server ends its side of the connection and goes on reading, without ever answering.
        public static let halfClose = Effect(kind: .halfClose)

        /// Nothing is read or written any more, until the server stops.
        public static let stall = Effect(kind: .stall(nil))

        /// Nothing is read or written until a gate opens; then everything goes on.
        public static func stall(until gate: Gate) -> Effect { Effect(kind: .stall(gate)) }

        /// From the moment on, so many bytes are read, and so many written, in each interval, for as long as the connection
        /// lasts.
        public static func throttle(bytes: Int, every interval: Duration) -> Effect {
            Effect(kind: .throttle(Throttle(bytes: max(1, bytes), interval: interval)))
        }

        /// The rest of the answer is left out, and the connection ends in order: what the client still sends is read, so
        /// that no reset overtakes what was written.
        public static let truncate = Effect(kind: .truncate)

        /// In place of the rest of the answer come bytes that are no HTTP, then the end of the connection in order. At the
        /// end of an answer, the connection stays open behind them.
        public static func garbage(_ bytes: some Sequence<UInt8>) -> Effect { Effect(kind: .garbage(Array(bytes))) }

        /// Bytes that are no HTTP: a few that no text has, and a line.
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

    /// Why the fault does nothing that another does not do as well; nil if it is one of its own.
    public var remark: String? {
        switch (effect.kind, moment) {
        case (.truncate, .accept), (.truncate, .requestHead), (.truncate, .requestBody), (.truncate, .response):
            "There is no answer yet to leave something out of: the connection ends in order, without one."
        case (.truncate, .end):
            "The answer is whole, and nothing of it can be left out: the connection ends in order, behind it."
        case (.garbage, .accept):
            "Nothing was asked yet: the garbage comes before any request is read."
        default: nil
        }
    }
}

/// How many bytes pass in each interval.
struct Throttle: Sendable {
    let bytes: Int
    let interval: Duration
}
