/// The time that a request of a test has taken, and the timeouts that apply to it. Real transports have the same ones.
struct MockTimeline {
    enum Wait: Equatable {
        case passes
        /// The timeout with the code passes first, after a duration.
        case timesOut(RequestError.Code, after: Duration)
    }

    /// The nanoseconds so far.
    private(set) var elapsed: Int64 = 0
    let timeouts: Timeouts

    init(_ timeouts: Timeouts) {
        self.timeouts = timeouts
    }

    /// Adds a time in which nothing is sent or received. With nil, it has no end.
    mutating func wait(_ duration: Duration?) -> Wait? {
        let end = duration.map { elapsed.adding($0) } ?? .max
        let whole = timeouts.whole.limit.map { Int64(0).adding($0) } ?? .max
        let deadline = TransferDeadline(whole: whole, .exchanging(since: elapsed), timeouts)
        if deadline.time <= end, deadline.time != .max {
            return .timesOut(deadline.code, after: .nanoseconds(max(deadline.time - elapsed, 0)))
        }
        guard duration != nil else { return nil }
        elapsed = end
        return .passes
    }
}
