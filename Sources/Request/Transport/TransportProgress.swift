import Synchronization

/// How much of a request and its response has passed: written by a transport, read by whoever wants to know.
public final class TransportProgress: Sendable {
    private struct State {
        var progress = CallProgress()
        var follower: (@Sendable (CallProgress) -> Void)?
    }

    private let state = Mutex(State())
    private let isFollowed = Atomic<Bool>(false)

    public init() {}

    /// What has passed so far. Numbers do not go back while one request is sent.
    public var snapshot: CallProgress { state.withLock(\.progress) }

    /// Whether somebody follows, so that totals which cost a look at the head are worth it before the end.
    public var isWanted: Bool { isFollowed.load(ordering: .relaxed) }

    /// Notes what has passed. Whoever follows is told in this call.
    public func note(_ change: (inout CallProgress) -> Void) {
        let (follower, progress) = state.withLock { state in
            change(&state.progress)
            return (state.follower, state.progress)
        }
        follower?(progress)
    }

    func follow(_ follower: @escaping @Sendable (CallProgress) -> Void) {
        state.withLock { $0.follower = follower }
        isFollowed.store(true, ordering: .relaxed)
    }
}
