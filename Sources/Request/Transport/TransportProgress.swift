import Synchronization

/// The progress of a request and its response. The transport writes it and the call reads it.
///
/// A negative count becomes 0 and a negative total becomes nil.
public final class TransportProgress: Sendable {
    private struct State {
        var progress = CallProgress()
        var follower: (@Sendable (CallProgress) -> Void)?
    }

    private let state = Mutex(State())
    private let isFollowed = Atomic<Bool>(false)

    public init() {}

    /// The current progress. Numbers do not decrease while one request is sent.
    public var snapshot: CallProgress { state.withLock(\.progress) }

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
            change(&state.progress)
            state.progress.dropNegatives()
        }
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
}
