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

    /// Writes what is no result: errors, and what the store reports.
    var complain: @Sendable (String) -> Void

    /// Whether somebody reads the results as they come, so that the headings may stand out.
    var isTerminal: Bool

    /// The time to which ages are relative.
    var now: @Sendable () -> Date

    /// Writes a line of results.
    func print(_ text: String) throws {
        try write(Data((text + "\n").utf8))
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
                guard count >= 0 || errno == EINTR else { throw OutputError() }
                rest = rest.dropFirst(max(0, count))
            }
        }
    }
}

/// The results could not be written.
struct OutputError: Error, CustomStringConvertible {
    let reason: String

    var description: String { "The output cannot be written: \(reason)." }
}
