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

/// Where the tool writes to, and what it knows of its surroundings.
package struct Console: Sendable {
    /// Writes results.
    var write: @Sendable (Data) throws -> Void

    /// Writes what is no result: errors, and what the store reports. What cannot be printed is written as its number.
    let complain: @Sendable (String) -> Void

    /// Whether somebody reads the results as they come, so that the headings may stand out.
    var isTerminal: Bool

    /// The time to which ages are relative.
    var now: @Sendable () -> Date

    init(
        write: @escaping @Sendable (Data) throws -> Void, complain: @escaping @Sendable (String) -> Void,
        isTerminal: Bool,
        now: @escaping @Sendable () -> Date
    ) {
        self.write = write
        self.complain = { text in complain(text.printableLines) }
        self.isTerminal = isTerminal
        self.now = now
    }

    /// Writes lines of results. What cannot be printed is written as its number.
    func print(_ text: String) throws {
        try write(Data((text.printableLines + "\n").utf8))
    }

    /// Writes a table, whose headings stand out on a terminal.
    func print(_ table: Table) throws {
        let lines = table.lines(isTerminal: isTerminal)
        try write(Data((lines.joined(separator: "\n") + "\n").utf8))
    }

    /// The standard output and the standard error of the process.
    package static let standard = Console(
        write: { try write($0, to: STDOUT_FILENO) },
        complain: { text in try? write(Data("tango-cache: \(text)\n".utf8), to: STDERR_FILENO) },
        isTerminal: isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil, now: { Date() })

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
    /// The text with all that cannot be printed written as its number, but for the ends of its lines.
    var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}

/// The results could not be written.
struct OutputError: Error, CustomStringConvertible {
    let reason: String

    /// Whether the reader of the output has left.
    var isPipeClosed = false

    /// What the system says about its last call.
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
