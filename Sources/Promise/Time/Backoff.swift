/// A rule for the wait between attempts.
///
/// ```swift
/// let user = Promise.retry(5, backoff: .exponential(base: .milliseconds(200))) { _ in loadUser(1) }
/// ```
public struct Backoff: Sendable {
    let delay: @Sendable (_ failures: Int) -> Duration

    /// Creates a rule of your own. `delay` returns the wait after a number of failed attempts, counted from 1.
    public init(_ delay: @escaping @Sendable (_ failures: Int) -> Duration) {
        self.delay = delay
    }

    /// No wait.
    public static let none = Backoff { _ in .zero }

    /// The same wait each time.
    public static func constant(_ duration: Duration) -> Backoff {
        Backoff { _ in duration }
    }

    /// Starts with `base` and doubles each time, up to `cap`.
    ///
    /// - Parameters:
    ///   - base: The first wait. Zero or less means no wait.
    ///   - cap: The longest wait.
    ///   - jitter: The random part of each wait. It prevents many clients that failed together from retrying together.
    ///     It is limited to 0 to 1; `nan` counts as 0.
    public static func exponential(
        base: Duration = .milliseconds(500), cap: Duration = .seconds(30), jitter: Double = 0.5
    ) -> Backoff {
        Backoff { failures in
            let longest = doubled(base, times: max(failures, 1) - 1, upTo: cap)
            let part = jitter.isNaN ? 0 : min(max(jitter, 0), 1)
            return part > 0 ? longest * (1 - part * Double.random(in: 0...1)) : longest
        }
    }

    /// Returns `base` doubled `times` times, at most `limit`. It never computes a duration above the limit, which could
    /// overflow.
    private static func doubled(_ base: Duration, times: Int, upTo limit: Duration) -> Duration {
        guard base > .zero else { return .zero }
        var wait = min(base, limit)
        var times = times
        while times > 0, wait < limit {
            wait = wait > limit - wait ? limit : wait + wait
            times -= 1
        }
        return wait
    }
}
