/// A task that calls a function once a time has passed, and measures the time.
struct Alarm: Sendable {
    private let limit: Duration?
    private let task: Task<Void, Never>?
    private let read: @Sendable () -> Duration

    /// Starts an alarm. Its instant is fixed at once, so that a clock which is advanced right after has a sleeper.
    ///
    /// - Parameter limit: The time after which it calls the function; nil to only measure the time.
    init(after limit: Duration?, on clock: some Clock<Duration>, _ ring: @escaping @Sendable () -> Void) {
        let start = clock.now
        let end = limit.map { clock.instant(after: $0) }
        self.limit = limit
        read = { start.duration(to: clock.now) }
        task = end.map { end in
            Task {
                do { try await clock.sleep(until: end, tolerance: nil) } catch { return }
                ring()
            }
        }
    }

    /// The time since the start.
    var elapsed: Duration { read() }

    /// The time that is left; nil without a limit.
    var remaining: Duration? { limit.map { $0 - read() } }

    func cancel() { task?.cancel() }
}
