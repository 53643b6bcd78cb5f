import TangoPlatform

extension CallLog {
    /// Writes entries to standard error: with colours if it is a terminal, unless the variable `NO_COLOR` is set.
    public static let standardError: @Sendable (Entry) -> Void = { entry in
        writeToStandardError(text(of: entry, isColored: isTerminal))
    }

    #if !canImport(os)
        /// The default sink: the system's log on Apple platforms, and standard error elsewhere.
        public static let system = standardError
    #endif

    private static let isTerminal = isatty(STDERR_FILENO) == 1 && getenv("NO_COLOR") == nil

    /// Returns the line of an entry.
    package static func text(of entry: Entry, isColored: Bool) -> String {
        guard isColored, let code = entry.severity.color else { return "\(entry)\n" }
        return "\u{1B}[\(code)m\(entry)\u{1B}[0m\n"
    }

    /// Writes the whole text at once, so that the lines of several threads do not mix.
    package static func writeToStandardError(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                #if canImport(Darwin)
                    let count = Darwin.write(STDERR_FILENO, start, rest.count)
                #elseif canImport(Glibc)
                    let count = Glibc.write(STDERR_FILENO, start, rest.count)
                #elseif canImport(Musl)
                    let count = Musl.write(STDERR_FILENO, start, rest.count)
                #endif
                if count < 0, errno == EINTR { continue }
                // There is no place to report that standard error is closed.
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }
}

extension CallLog.Entry.Severity {
    /// The number of the terminal's colour.
    fileprivate var color: Int? {
        switch self {
        case .info: nil
        case .warning: 33
        case .error: 31
        }
    }
}
