import Dispatch

/// The time of transfers: nanoseconds that never go back.
enum SessionTime {
    static func now() -> Int64 {
        Int64(clamping: DispatchTime.now().uptimeNanoseconds)
    }

    /// A time and a duration; the end of time where that is too far away, and at once for a negative one.
    static func adding(_ duration: Duration, to time: Int64) -> Int64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return time }
        guard seconds < 1 << 32 else { return .max }
        return time + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}

/// Calls at a time, which can be changed.
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
