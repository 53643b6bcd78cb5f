/// The point that a transfer has reached: its phase, and the bytes of its bodies.
///
/// The description completes "the attempt did not finish within a second".
package struct TransferMoment: CustomStringConvertible {
    /// Nil if the transport does not know it.
    package let phase: RequestError.Phase?
    let progress: CallProgress

    package init(_ phase: RequestError.Phase?, _ progress: CallProgress) {
        self.phase = phase
        self.progress = progress
    }

    /// The attempt in flight.
    package init(_ progress: TransportProgress) {
        self.init(progress.phase, progress.ofAttempt)
    }

    package var description: String {
        switch phase {
        case .prepare: "it waited for the transport, and nothing was sent"
        case .connect: "no connection was established"
        case .send: "\(Self.text(progress.sent, of: progress.sentTotal)) of the request's body were sent"
        case .wait: "no response had begun"
        case nil: "no complete response had arrived"
        case .receive: "\(Self.text(progress.received, of: progress.receivedTotal)) of the response's body had arrived"
        case .decode: "the response had arrived"
        }
    }

    private static func text(_ count: Int, of total: Int?) -> String {
        total.map { "\(count) of \($0) bytes" } ?? "\(count) bytes"
    }
}
