/// How long to wait between attempts.
///
/// ```swift
/// let user = Promise.retry(5, backoff: .exponential(base: .milliseconds(200))) { _ in loadUser(1) }
/// ```
public struct Backoff: Sendable {
    let delay: @Sendable (_ failures: Int) -> Duration

    /// A rule of your own: the wait after so many failed attempts, counted from 1.
    public init(_ delay: @escaping @Sendable (_ failures: Int) -> Duration) {
        self.delay = delay
    }

    /// No wait.
    public static let none = Backoff { _ in .zero }

    /// The same wait each time.
    public static func constant(_ duration: Duration) -> Backoff {
        Backoff { _ in duration }
    }

    /// `base`, then twice as long each time, never longer than `cap`.
    ///
    /// - Parameters:
    ///   - base: The first wait.
    ///   - cap: The longest wait.
    ///   - jitter: The part of each wait that is left to chance, from 0 to 1, so that many clients that failed together do
    ///     not come back together.
    public static func exponential(
        base: Duration = .milliseconds(500), cap: Duration = .seconds(30), jitter: Double = 0.5
    ) -> Backoff {
        Backoff { failures in
            let longest = min(cap, base * (Int64(1) << min(max(failures, 1) - 1, 40)))
            let part = min(max(jitter, 0), 1)
            return longest * (1 - part * Double.random(in: 0...1))
        }
    }
}
