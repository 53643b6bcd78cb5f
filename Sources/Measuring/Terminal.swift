import TangoPlatform

/// The standard streams of the process.
enum Terminal {
    /// A Boolean value that indicates whether the standard output shows colours.
    static var isColored: Bool { isatty(STDOUT_FILENO) == 1 && getenv("NO_COLOR") == nil }

    /// A Boolean value that indicates whether the standard error is a terminal.
    static var hasError: Bool { isatty(STDERR_FILENO) == 1 }
}

/// The size of a terminal in cells.
struct TerminalSize: Hashable, Sendable {
    var columns = 80
    var lines = 24

    /// The size of the terminal of the standard error, or else that of the environment.
    static var current: TerminalSize {
        var size = winsize()
        if ioctl(2, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 {
            return TerminalSize(columns: Int(size.ws_col), lines: Int(size.ws_row))
        }
        return of(ProcessInfo.processInfo.environment)
    }

    static func of(_ environment: [String: String]) -> TerminalSize {
        var size = TerminalSize()
        if let columns = environment["COLUMNS"].flatMap({ Int($0) }), columns > 0 { size.columns = columns }
        if let lines = environment["LINES"].flatMap({ Int($0) }), lines > 0 { size.lines = lines }
        return size
    }
}

extension Character {
    /// The number of cells that the character takes in a terminal.
    var cells: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .control, .format, .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        if first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") { return 2 }
        return Self.wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// Scripts whose characters are twice as wide as Latin ones.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
        0x20000...0x3FFFD,
    ]
}

extension String {
    var cells: Int { reduce(0) { $0 + $1.cells } }

    /// Returns the beginning of the text, with an ellipsis if it takes more than a number of cells.
    func fitting(_ limit: Int) -> String {
        guard cells > limit else { return self }
        var text = ""
        var room = limit - 1
        for character in self {
            room -= character.cells
            if room < 0 { break }
            text.append(character)
        }
        return limit > 0 ? text + "…" : ""
    }
}
