/// How much of a call's bodies has been sent and received.
///
/// Numbers never go back while a request is sent, and totals are nil where nobody knows them.
public struct CallProgress: Hashable, Sendable {
    /// Bytes of the request's body that have been taken from it.
    public var sent: Int
    /// How many there are; nil for a stream that does not say.
    public var sentTotal: Int?
    /// Bytes of the response's body that have arrived, decoded.
    public var received: Int
    /// How many there will be; nil while the server has not said.
    public var receivedTotal: Int?

    public init(sent: Int = 0, sentTotal: Int? = nil, received: Int = 0, receivedTotal: Int? = nil) {
        self.sent = sent
        self.sentTotal = sentTotal
        self.received = received
        self.receivedTotal = receivedTotal
    }

    /// From 0 to 1, of whichever direction is under way; nil if its total is not known. A negative total is not known.
    public var fraction: Double? {
        let (done, total) = received > 0 || receivedTotal != nil ? (received, receivedTotal) : (sent, sentTotal)
        guard let total, total >= 0 else { return nil }
        return total == 0 ? 1 : min(max(Double(done) / Double(total), 0), 1)
    }
}
