import Synchronization

/// Begins a part of the tour.
func section(_ title: String) {
    print("\n\(title)")
}

/// Prints one thing that happened.
func show(_ text: String) {
    print("    \(text)")
}

/// What happened, in order, wherever it did.
final class Record: Sendable {
    private let entries = Mutex<[String]>([])

    var story: String { entries.withLock { $0.joined(separator: ", ") } }

    func note(_ entry: String) {
        entries.withLock { $0.append(entry) }
    }
}
