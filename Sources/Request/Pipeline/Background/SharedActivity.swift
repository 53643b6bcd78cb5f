import Dispatch
import Synchronization

/// One activity of the system for all calls that need time at once: a call of `performExpiringActivity`.
///
/// The system lets the application run while a block has not returned, so an activity blocks a thread. One thread is
/// enough for all calls. The activity ends with the last of them.
final class SharedActivity: BackgroundTime {
    /// A function that runs a block with false on a thread of its own, and with true when the time expires. If the
    /// system grants no time, the first run has true.
    typealias Perform = @Sendable (_ name: String, _ block: @escaping @Sendable (_ isExpired: Bool) -> Void) -> Void

    private struct State {
        /// The activity that new calls join; nil if the next call begins one.
        var current: Activity?
        var lastNumber = 0
    }

    /// One activity, which is granted once, and may expire.
    private final class Activity: Sendable {
        struct State: ~Copyable {
            var members: [Int: @Sendable () -> Void] = [:]
            var isGranted = false
        }

        let state = Mutex(State())
        let end = DispatchSemaphore(value: 0)
    }

    private let perform: Perform
    private let state = Mutex(State())

    init(_ perform: @escaping Perform) {
        self.perform = perform
    }

    /// A Boolean value that indicates whether the system has granted the current activity.
    var isGranted: Bool { state.withLock { $0.current?.state.withLock { $0.isGranted } ?? false } }

    func begin(_ name: String, onExpiry: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let (activity, number, isNew) = state.withLock { state in
            let activity = state.current ?? Activity()
            defer { state.current = activity }
            state.lastNumber += 1
            activity.state.withLock { [number = state.lastNumber] in $0.members[number] = onExpiry }
            return (activity, state.lastNumber, state.current == nil)
        }
        if isNew { perform(name) { [self] isExpired in run(activity, isExpired) } }
        return { [self] in leave(activity, number) }
    }

    /// Runs on a thread of the system, which lets the application run until this returns.
    private func run(_ activity: Activity, _ isExpired: Bool) {
        guard isExpired else {
            activity.state.withLock { $0.isGranted = true }
            return activity.end.wait()
        }
        let (members, wasGranted) = state.withLock { state in
            if state.current === activity { state.current = nil }
            return activity.state.withLock { activity in
                defer { activity.members = [:] }
                return (activity.members, activity.isGranted)
            }
        }
        // Without a grant the calls go on for as long as the system lets them.
        if wasGranted { for number in members.keys.ordered(by: <) { members[number]?() } }
        withExtendedLifetime(members) {}
        activity.end.signal()
    }

    private func leave(_ activity: Activity, _ number: Int) {
        let (left, isOver) = state.withLock { state in
            let (left, isEmpty) = activity.state.withLock { activity in
                let left = activity.members.removeValue(forKey: number)
                return (left, activity.members.isEmpty)
            }
            // Every activity is ended once: by its last member, or by its expiry.
            guard left != nil, isEmpty else { return (left, false) }
            if state.current === activity { state.current = nil }
            return (left, true)
        }
        withExtendedLifetime(left) {}
        if isOver { activity.end.signal() }
    }
}
