#if canImport(Darwin) || URLSessionOnLinux
    /// A timer whose time can be changed.
    final class SessionTimer: @unchecked Sendable {
        private let source: any DispatchSourceTimer
        private static let queue = DispatchQueue(label: "tango.urlsession.time")

        init(_ fire: @escaping @Sendable () -> Void) {
            source = DispatchSource.makeTimerSource(flags: .strict, queue: Self.queue)
            source.setEventHandler(handler: fire)
            source.activate()
        }

        func set(_ time: Int64) {
            source.schedule(
                deadline: DispatchTime(uptimeNanoseconds: UInt64(clamping: time)), repeating: .never,
                leeway: .nanoseconds(0))
        }

        func cancel() {
            source.cancel()
        }
    }
#endif
