import Synchronization

/// The progress of calls as bars in a terminal: one line each, with throughput and the time left.
///
/// ```swift
/// let bars = ProgressBars()
/// let call = GetFilm().start()
/// bars.add(call)
/// let file = try await call.value
/// await bars.finish()
/// ```
///
/// Each line fits the terminal: a long name is shortened. Calls that have ended are above those that run. Of these, as many
/// are shown as the terminal has lines.
///
/// If the output is not a terminal, each tenth of a transfer is a plain line. In continuous integration, nothing is
/// written. Safe from any thread.
public final class ProgressBars: Sendable {
    /// The form of the output.
    public struct Style: Hashable, Sendable {
        enum Kind: Hashable, Sendable { case bars, lines, quiet }

        let kind: Kind
        let width: Int

        /// Bars that change in place. The output has to be a terminal.
        public static func bars(width: Int = 32) -> Style { Style(kind: .bars, width: max(width, 1)) }
        /// A plain line for each tenth of a transfer, and for its end.
        public static let lines = Style(kind: .lines, width: 16)
        /// No output.
        public static let quiet = Style(kind: .quiet, width: 1)

        /// The style for the standard error of this process.
        public static var automatic: Style {
            of(isTerminal: Terminal.hasError, environment: ProcessInfo.processInfo.environment)
        }

        /// Returns the style for an output.
        static func of(isTerminal: Bool, environment: [String: String]) -> Style {
            if let ci = environment["CI"], !["", "0", "false"].contains(ci) { return .quiet }
            return isTerminal && environment["TERM"] != "dumb" ? .bars() : .lines
        }
    }

    private let board: Board
    private let tasks = Mutex<[Task<Void, Never>]>([])

    /// Creates bars.
    ///
    /// - Parameters:
    ///   - style: The form of the output.
    ///   - write: Writes the text; by default to the standard error. It is called by one task at a time.
    public init(
        style: Style = .automatic, write: @escaping @Sendable (String) -> Void = ProgressBars.writeToStandardError
    ) {
        board = Board(style, write)
    }

    /// Adds a call, which is shown until it ends.
    ///
    /// - Parameters:
    ///   - call: The call to show.
    ///   - name: The name before the bar; by default that of the call.
    public func add(_ call: AnyCall, name: String? = nil) {
        // Followed from now on, so that no progress is missed before the task runs.
        let (progress, name) = (call.progress, name ?? call.name)
        let task = Task { [board] in
            let number = await board.add(name)
            for await progress in progress { await board.update(number, progress) }
            if case .finished(let end) = call.state { await board.end(number, end) }
        }
        tasks.withLock { $0.append(task) }
    }

    /// Returns once all added calls have ended and their last lines are written.
    public func finish() async {
        for task in tasks.withLock({ $0 }) { await task.value }
    }

    /// Writes a text to the standard error.
    @Sendable public static func writeToStandardError(_ text: String) { CallLog.writeToStandardError(text) }

    /// One task at a time writes.
    private actor Board {
        private var board: ProgressBoard
        private let write: @Sendable (String) -> Void
        private let start = ContinuousClock.now

        init(_ style: Style, _ write: @escaping @Sendable (String) -> Void) {
            board = ProgressBoard(style)
            self.write = write
        }

        func add(_ name: String) -> Int { board.add(name) }

        func update(_ number: Int, _ progress: CallProgress) {
            board.size = .current
            show(board.update(number, progress, at: start.duration(to: .now)))
        }

        func end(_ number: Int, _ end: FinishedState) {
            board.size = .current
            show(board.end(number, end))
        }

        private func show(_ text: String) {
            if !text.isEmpty { write(text) }
        }
    }
}
