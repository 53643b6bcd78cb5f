import Synchronization

/// The progress of a request and its response. The transport writes it and the call reads it.
///
/// A negative count becomes 0 and a negative total becomes nil.
public final class TransportProgress: Sendable {
    private struct State {
        /// The bytes of the attempt in flight.
        var attempt = CallProgress()
        /// The bytes of all attempts: the highest numbers so far.
        var progress = CallProgress()
        var follower: (@Sendable (CallProgress) -> Void)?
        /// A Boolean value that indicates whether the received bytes count once they are written to a file.
        var isReceivedElsewhere = false
    }

    private let state = Mutex(State())
    private let isFollowed = Atomic<Bool>(false)
    private let reached = Atomic<Int>(0)

    public init() {}

    /// The current progress. Numbers do not decrease while one request is sent.
    public var snapshot: CallProgress { state.withLock(\.progress) }

    /// The progress of the attempt in flight alone.
    var ofAttempt: CallProgress { state.withLock(\.attempt) }

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
        tell()
    }

    /// Changes the progress. ``tell()`` must follow.
    func record(_ change: (inout CallProgress) -> Void) {
        state.withLock { state in
            change(&state.attempt)
            state.attempt.dropNegatives()
            var visible = state.attempt
            if state.isReceivedElsewhere {
                visible.received = 0
                visible.receivedTotal = nil
            }
            state.progress.rise(to: visible)
        }
    }

    /// Leaves the received bytes to ``reach(received:of:)``, which counts those of earlier attempts as well.
    func countReceivedElsewhere() {
        state.withLock { $0.isReceivedElsewhere = true }
    }

    /// Sets the bytes that are on the disk, and notifies the follower.
    func reach(received: Int, of total: Int?) {
        state.withLock { $0.progress.rise(to: CallProgress(received: received, receivedTotal: total)) }
        tell()
    }

    /// Begins another attempt, which has sent and received nothing.
    func beginAttempt() {
        phase = nil
        state.withLock { $0.attempt = CallProgress() }
    }

    /// Notifies the follower of the current progress.
    func tell() {
        let (follower, progress) = state.withLock { ($0.follower, $0.progress) }
        follower?(progress)
    }

    func follow(_ follower: @escaping @Sendable (CallProgress) -> Void) {
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

extension CallProgress {
    fileprivate mutating func dropNegatives() {
        sent = max(sent, 0)
        received = max(received, 0)
        if let total = sentTotal, total < 0 { sentTotal = nil }
        if let total = receivedTotal, total < 0 { receivedTotal = nil }
    }

    /// Takes the numbers of an attempt, unless an earlier attempt has had higher ones.
    fileprivate mutating func rise(to attempt: CallProgress) {
        sent = max(sent, attempt.sent)
        received = max(received, attempt.received)
        sentTotal = attempt.sentTotal ?? sentTotal
        receivedTotal = attempt.receivedTotal ?? receivedTotal
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
