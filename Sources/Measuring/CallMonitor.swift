#if canImport(Observation)
    import Observation

    /// The progress of a call for a user interface, with throughput and the time left.
    ///
    /// Its properties change on the main actor, at most 20 times a second. A view that reads them is updated.
    ///
    /// ```swift
    /// let monitor = CallMonitor(GetFilm().start())
    /// ```
    @MainActor @Observable
    public final class CallMonitor {
        /// The state of the call.
        public private(set) var state: CallState
        /// The bytes so far, and the totals.
        public private(set) var progress = CallProgress()
        /// The smoothed throughput; nil until it has been measured.
        public private(set) var bytesPerSecond: Double?
        /// The estimated time until the end; nil if it is unknown.
        public private(set) var timeLeft: Duration?
        /// The call.
        @ObservationIgnored public let call: AnyCall
        @ObservationIgnored private var rate = TransferRate()
        @ObservationIgnored private var following: Following?
        @ObservationIgnored private nonisolated let start = ContinuousClock.now

        private nonisolated static let interval = Duration.milliseconds(50)

        /// Follows a call until its end, or until the monitor is released.
        public init(_ call: AnyCall) {
            self.call = call
            state = call.state
            let all = call.progress
            following = Following(
                task: Task { [weak self] in
                    var last: Duration?
                    var latest: CallProgress?
                    for await progress in all {
                        guard let time = self?.start.duration(to: .now) else { return }
                        latest = progress
                        if let last, time - last < Self.interval { continue }
                        last = time
                        self?.take(progress, at: time)
                    }
                    self?.end(latest)
                })
        }

        /// The completed fraction, from 0 to 1; nil if the total is unknown.
        public var fraction: Double? { progress.fraction }

        /// Returns once the call has ended and the properties have their last values.
        public func finished() async {
            await following?.task.value
        }

        /// The task that follows the call. It ends with the monitor.
        private final class Following: Sendable {
            let task: Task<Void, Never>

            init(task: Task<Void, Never>) {
                self.task = task
            }

            deinit { task.cancel() }
        }

        private func take(_ progress: CallProgress, at time: Duration) {
            rate.add(progress, at: time)
            self.progress = progress
            bytesPerSecond = rate.bytesPerSecond
            timeLeft = rate.timeLeft
            state = call.state
        }

        private func end(_ latest: CallProgress?) {
            if let latest { progress = latest }
            timeLeft = nil
            state = call.state
        }
    }
#endif
