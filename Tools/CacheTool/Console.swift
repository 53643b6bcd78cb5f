#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The input and output of the tool.
public struct Console: Sendable {
    /// Writes results.
    var write: @Sendable (Data) throws -> Void

    /// Writes errors and events of the store. Unprintable characters are replaced by their numbers.
    let complain: @Sendable (String) -> Void

    /// A Boolean value that indicates whether the output is a terminal, where headings are emphasised.
    var isTerminal: Bool

    /// The time to which ages are relative.
    var now: @Sendable () -> Date

    /// - Parameters:
    ///   - write: Writes results.
    ///   - complain: Writes errors and events of the store.
    ///   - isTerminal: A Boolean value that indicates whether headings are emphasised.
    ///   - now: The time to which ages are relative.
    public init(
        write: @escaping @Sendable (Data) throws -> Void, complain: @escaping @Sendable (String) -> Void,
        isTerminal: Bool,
        now: @escaping @Sendable () -> Date
    ) {
        self.write = write
        self.complain = { text in complain(text.printableLines) }
        self.isTerminal = isTerminal
        self.now = now
    }

    /// Writes lines of results. Unprintable characters are replaced by their numbers.
    func print(_ text: String) throws {
        try write(Data((text.printableLines + "\n").utf8))
    }

    /// Writes a table, with emphasised headings on a terminal.
    func print(_ table: Table) throws {
        let lines = table.lines(isTerminal: isTerminal)
        try write(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// The standard output and the standard error of the process.
    public static let standard = standard(of: Tool.name)

    /// Returns the standard output and the standard error of a tool with another name.
    public static func standard(of tool: String) -> Console {
        Console(
            write: { try write($0, to: STDOUT_FILENO) },
            complain: { text in try? write(Data("\(tool): \(text)\n".utf8), to: STDERR_FILENO) },
            isTerminal: isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil, now: { Date() })
    }

    /// Writes all bytes to an open file.
    static func write(_ data: Data, to descriptor: CInt) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                #if canImport(Darwin)
                    let count = Darwin.write(descriptor, part.baseAddress, part.count)
                #elseif canImport(Glibc)
                    let count = Glibc.write(descriptor, part.baseAddress, part.count)
                #else
                    let count = Musl.write(descriptor, part.baseAddress, part.count)
                #endif
                guard count >= 0 || errno == EINTR else { throw OutputError(nil) }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}

extension String {
    /// The text with unprintable characters, except line breaks, replaced by their numbers.
    var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}

/// The results could not be written.
struct OutputError: Error, CustomStringConvertible {
    let reason: String

    /// A Boolean value that indicates whether the reader of the output has ended.
    var isPipeClosed = false

    /// Creates the error of the last system call.
    init(_ path: String?) {
        let number = errno
        let reason = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        self.init(reason: path.map { "\($0): \(reason)" } ?? reason, isPipeClosed: number == EPIPE)
    }

    init(reason: String, isPipeClosed: Bool = false) {
        self.reason = reason
        self.isPipeClosed = isPipeClosed
    }

    var description: String { "The output cannot be written: \(reason)." }
}
