/// The log of a run: its attempts in the order of their numbers.
///
/// An event stream that reconnects for days has the first attempt and the newest ones. Other logs have all attempts.
extension [Attempt] {
    /// The highest number of attempts in the log when an event stream reconnects.
    static let reconnectionLimit = 100

    /// The number of attempts so far, those included that the log has left out.
    package var newestNumber: Int { last?.number ?? 0 }

    /// Returns the place of an attempt; nil if the log has left it out.
    private func place(of number: Int) -> Int? {
        // The newest ones have no gap between them. The first one may have a gap behind it.
        let place = count - 1 - (newestNumber - number)
        if indices.contains(place), self[place].number == number { return place }
        return first?.number == number ? 0 : nil
    }

    /// The attempt with a number; nil if the log has left it out.
    subscript(number number: Int) -> Attempt? {
        place(of: number).map { self[$0] }
    }

    /// Changes an attempt, unless the log has left it out.
    mutating func change(_ number: Int, _ body: (inout Attempt) -> Void) {
        if let place = place(of: number) { body(&self[place]) }
    }

    /// Adds an attempt. A reconnection replaces the oldest attempt after the first if the log is full.
    mutating func add(_ attempt: Attempt) {
        if attempt.cause == .reconnection, count >= Self.reconnectionLimit {
            removeSubrange(1..<(count - Self.reconnectionLimit + 2))
        }
        append(attempt)
    }
}
