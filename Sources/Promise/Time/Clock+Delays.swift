/// The place where delays meet clocks. Clocks trap on instants that they cannot represent, and delays come from servers, from
/// closures of the application and from its settings.
extension Clock where Duration == Swift.Duration {
    /// Returns the instant after a delay. A delay of more than a century is a century, and one below zero is zero.
    package func instant(after delay: Duration) -> Instant {
        now.advanced(by: max(.zero, min(delay, .seconds(100 * 365 * 86_400))))
    }

    /// Waits for a delay, as ``instant(after:)`` bounds it.
    package func wait(for delay: Duration) async throws {
        try await sleep(until: instant(after: delay), tolerance: nil)
    }
}

extension Duration {
    /// Returns a random part of the duration.
    ///
    /// - Parameter random: A number from zero to one. Another one counts as the nearest, and `nan` as one.
    package func part(_ random: Double) -> Duration {
        self * (random < 1 ? max(random, 0) : 1)
    }
}
