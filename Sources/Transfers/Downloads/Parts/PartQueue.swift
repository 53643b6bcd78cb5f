import Synchronization

/// The parts of a file that no connection loads yet.
final class PartQueue: Sendable {
    private struct State {
        var waiting: [Range<Int>]
        var finished = 0
    }

    private let state: Mutex<State>

    init(_ parts: [Range<Int>]) {
        state = Mutex(State(waiting: parts))
    }

    /// The number of parts that are on the disk, and whether others wait.
    var progress: (finished: Int, hasWaiting: Bool) { state.withLock { ($0.finished, !$0.waiting.isEmpty) } }

    func take() -> Range<Int>? {
        state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
    }

    /// Removes the part that begins at an offset and returns it.
    func take(at offset: Int) -> Range<Int>? {
        state.withLock { state in
            state.waiting.firstIndex { $0.lowerBound == offset }.map { state.waiting.remove(at: $0) }
        }
    }

    /// Returns the rest of a part, for another connection.
    func putBack(_ part: Range<Int>) {
        state.withLock { $0.waiting.insert(part, at: 0) }
    }

    func finish() {
        state.withLock { $0.finished += 1 }
    }
}
