/// What the tool tells the script that called it.
package enum ExitCode: Int32, Sendable {
    /// It did what it was asked to do.
    case done = 0

    /// No entry matched, or a verification found damage.
    case nothing = 1

    /// It was called in a way that it does not understand.
    case usage = 2

    /// The store cannot be read, or cannot be written to.
    case unusable = 3

    /// The reader of the output has left: what a shell reports of a command that ends by that signal.
    case closedPipe = 141
}

/// A call that the tool does not understand.
struct UsageError: Error, Equatable {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
