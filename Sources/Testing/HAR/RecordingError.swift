/// The error of a recording that cannot be written or read, or of a run that differs from it.
public struct RecordingError: Error, Sendable, CustomStringConvertible {
    /// The problem, and the way to solve it.
    public let message: String

    public var description: String { message }
}
