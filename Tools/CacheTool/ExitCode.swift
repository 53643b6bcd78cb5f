/// The exit code of the tool.
public enum ExitCode: Int32, Sendable {
    /// The command has succeeded.
    case done = 0

    /// No entry matched, or a verification found damage.
    case nothing = 1

    /// The arguments are invalid.
    case usage = 2

    /// The store cannot be read, or cannot be written to.
    case unusable = 3

    /// The reader of the output has ended. A shell reports this code for a command that ends by that signal.
    case closedPipe = 141
}

/// An invalid call of the tool.
public struct UsageError: Error, Equatable {
    let message: String

    /// - Parameter message: The error, and the remedy.
    public init(_ message: String) {
        self.message = message
    }
}
