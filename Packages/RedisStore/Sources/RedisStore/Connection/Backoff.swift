/// The pauses between attempts to connect or to repeat a removal: 20 milliseconds at first, doubled each time up to 2
/// seconds.
struct Backoff: Sendable {
    private(set) var failures = 0

    /// Returns the pause after another failure. A random part of up to a half keeps processes from connecting in step.
    ///
    /// - Parameter random: A number from 0 to 1.
    mutating func next(random: Double) -> Duration {
        let base = min(2_000, 20 << min(failures, 7))
        failures += 1
        return .milliseconds(Int(Double(base) * (0.5 + random / 2)))
    }

    mutating func reset() {
        failures = 0
    }
}
