import Synchronization

/// Prints the title of a section.
func section(_ title: String) {
    Chapter.countSection()
    print("\n\(title)")
}

/// Prints a line of a section.
func show(_ text: String) {
    print("    \(text)")
}

/// A thread-safe list of events, in order.
final class Record: Sendable {
    private let entries = Mutex<[String]>([])

    var story: String { entries.withLock { $0.joined(separator: ", ") } }

    func note(_ entry: String) {
        entries.withLock { $0.append(entry) }
    }
}
