/// The number of bytes of a call's bodies that have been sent and received.
///
/// The numbers are those of the last attempt, and never decrease during an attempt. The received bytes start again with a
/// retry and after a redirect, whose own body does not count. The sent bytes start again when a body is sent again. A
/// `Download` counts the bytes of its file, also those of earlier attempts. Unknown totals are nil.
public struct CallProgress: Hashable, Sendable {
    /// Bytes of the request's body that have been taken from it.
    public var sent: Int
    /// The size of the request's body; nil if the stream does not announce it.
    public var sentTotal: Int?
    /// Bytes of the response's body that have arrived, decoded.
    public var received: Int
    /// The size of the response's body; nil until the server announces it.
    public var receivedTotal: Int?

    public init(sent: Int = 0, sentTotal: Int? = nil, received: Int = 0, receivedTotal: Int? = nil) {
        self.sent = sent
        self.sentTotal = sentTotal
        self.received = received
        self.receivedTotal = receivedTotal
    }

    /// The completed fraction, from 0 to 1, of the response's body, or of the request's body until the response begins.
    /// It is nil if the total is unknown or negative.
    public var fraction: Double? {
        let (done, total) = received > 0 || receivedTotal != nil ? (received, receivedTotal) : (sent, sentTotal)
        guard let total, total >= 0 else { return nil }
        return total == 0 ? 1 : min(max(Double(done) / Double(total), 0), 1)
    }
}

extension CallProgress {
    /// With the length of a response, which transports need not read without a follower.
    func completed(by response: HTTPResponse?) -> CallProgress {
        guard receivedTotal == nil, let length = response?.headers.contentLength else {
            return self
        }
        var progress = self
        progress.receivedTotal = length
        return progress
    }
}

extension CallProgress: CustomStringConvertible {
    /// Such as `sent 0 of 0 bytes, received 512 of 2048 bytes`.
    public var description: String {
        func text(_ count: Int, _ total: Int?) -> String { "\(count)\(total.map { " of \($0)" } ?? "") bytes" }
        return "sent \(text(sent, sentTotal)), received \(text(received, receivedTotal))"
    }
}
