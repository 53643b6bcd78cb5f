import Synchronization

/// The progress of a request and its response. The transport writes it and the call reads it.
///
/// A negative count becomes 0 and a negative total becomes nil.
public final class TransportProgress: Sendable {
    fileprivate struct State: ~Copyable {
        /// The bytes of the attempt in flight.
        var attempt = CallProgress()
        /// The bytes that followers see: those of the attempt, except that sent bytes count until it sends some itself.
        var progress = CallProgress()
        var hasSent = false
        /// A Boolean value that indicates whether the received bytes are those of a redirect.
        var isRedirect = false
        /// A Boolean value that indicates whether a file may begin again, so that fewer bytes are on the disk.
        var mayFall = false
        var follower: (@Sendable (CallProgress) -> Void)?
        /// A Boolean value that indicates whether the received bytes count once they are written to a file.
        var isReceivedElsewhere = false
    }

    private let state = Mutex(State())
    private let isFollowed = Atomic<Bool>(false)
    private let reached = Atomic<Int>(0)

    public init() {}

    /// The current progress. Numbers do not decrease during an attempt.
    public var snapshot: CallProgress { state.withLock { $0.progress } }

    /// The progress of the attempt in flight alone.
    var ofAttempt: CallProgress { state.withLock { $0.attempt } }

    /// The phase that the attempt in flight has reached; nil if the transport does not know it.
    ///
    /// The error of ``Timeouts/total`` says how far the call has come, if the transport sets this.
    public var phase: RequestError.Phase? {
        get { RequestError.Phase.numbered(reached.load(ordering: .relaxed)) }
        set { reached.store(newValue?.number ?? 0, ordering: .relaxed) }
    }

    /// A Boolean value that indicates whether a follower is set. If not, a transport need not parse the head for totals
    /// early.
    public var isWanted: Bool { isFollowed.load(ordering: .relaxed) }

    /// Changes the progress and notifies the follower.
    ///
    /// The follower runs inside this call: hold no lock.
    public func note(_ change: (inout CallProgress) -> Void) {
        record(change)
        notify()
    }

    /// Changes the progress. ``notify()`` must follow.
    package func record(_ change: (inout CallProgress) -> Void) {
        state.withLock { state in
            change(&state.attempt)
            state.attempt.dropNegatives()
            state.show()
        }
    }

    /// Does not count the received bytes of the attempt, because they are those of a redirect.
    package func ignoreReceived() {
        state.withLock { $0.isRedirect = true }
    }

    /// Takes the length of the response of the call, which transports need not read without a follower.
    ///
    /// - Parameter isLast: A Boolean value that indicates whether the call has ended. A redirect that was not followed then
    ///   counts.
    package func complete(by response: HTTPResponse?, isLast: Bool = false) {
        state.withLock { state in
            if isLast, response != nil, replace(&state.isRedirect, with: false) { state.show() }
            state.progress = state.progress.completed(by: response)
        }
    }

    /// Leaves the received bytes to ``reach(received:of:)``, which counts those of earlier attempts as well.
    package func countReceivedElsewhere() {
        state.withLock { $0.isReceivedElsewhere = true }
    }

    /// Sets the bytes that are on the disk, and notifies the follower.
    package func reach(received: Int, of total: Int?) {
        state.withLock { state in
            if replace(&state.mayFall, with: false) { state.progress.received = 0 }
            state.progress.received = max(state.progress.received, received)
            state.progress.receivedTotal = total ?? state.progress.receivedTotal
        }
        notify()
    }

    /// Begins another attempt, which has sent and received nothing.
    ///
    /// - Parameter isPart: A Boolean value that indicates whether the attempt loads a part beside others, which go on.
    package func beginAttempt(isPart: Bool = false) {
        phase = nil
        state.withLock { state in
            state.attempt = CallProgress()
            (state.hasSent, state.isRedirect) = (false, false)
            guard !isPart else { return }
            state.mayFall = true
            guard !state.isReceivedElsewhere else { return }
            state.progress.received = 0
            state.progress.receivedTotal = nil
        }
    }

    /// Notifies the follower of the current progress.
    package func notify() {
        let (follower, progress) = state.withLock { ($0.follower, $0.progress) }
        follower?(progress)
    }

    package func follow(_ follower: @escaping @Sendable (CallProgress) -> Void) {
        // The replaced follower is released outside the lock.
        let replaced = state.withLock { state in
            let old = state.follower
            state.follower = follower
            return old
        }
        withExtendedLifetime(replaced) {}
        isFollowed.store(true, ordering: .relaxed)
    }
}

extension TransportProgress.State {
    /// Shows the numbers of the attempt to followers.
    fileprivate mutating func show() {
        if attempt.sent > 0 || attempt.sentTotal != nil {
            progress.sent = hasSent ? max(progress.sent, attempt.sent) : attempt.sent
            progress.sentTotal = attempt.sentTotal ?? (hasSent ? progress.sentTotal : nil)
            hasSent = true
        }
        guard !isReceivedElsewhere, !isRedirect else { return }
        progress.received = max(progress.received, attempt.received)
        progress.receivedTotal = attempt.receivedTotal ?? progress.receivedTotal
    }
}

extension CallProgress {
    fileprivate mutating func dropNegatives() {
        sent = max(sent, 0)
        received = max(received, 0)
        if let total = sentTotal, total < 0 { sentTotal = nil }
        if let total = receivedTotal, total < 0 { receivedTotal = nil }
    }
}

extension RequestError.Phase {
    /// The number of the phase, from 1, in the order of a request.
    fileprivate var number: Int {
        switch self {
        case .prepare: 1
        case .connect: 2
        case .send: 3
        case .wait: 4
        case .receive: 5
        case .decode: 6
        }
    }

    fileprivate static func numbered(_ number: Int) -> Self? {
        allCases.first { $0.number == number }
    }
}

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
