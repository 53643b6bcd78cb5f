/// The wait for which a server asks with `Retry-After` (RFC 9110, 10.2.3).
package enum RetryAfter {
    /// Returns the wait: a number of seconds, or the time until a date. A date in the past is no wait.
    ///
    /// - Parameter now: The time of day in seconds since 1970.
    package static func wait(_ text: String?, now: Double) -> Duration? {
        guard let text, !text.isEmpty else { return nil }
        if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
            // A number that is too large to count is a wait without end.
            return .seconds(min(Int64(text) ?? .max, 1 << 40))
        }
        return HTTPDate.parseLeniently(text, now: now).map { .seconds(max($0 - now, 0)) }
    }
}
