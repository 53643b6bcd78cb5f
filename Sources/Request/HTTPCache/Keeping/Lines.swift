/// Writes values as lines of text, one each.
struct LineWriter {
    private var result = ""
    private var isBroken = false

    /// All lines; nil where a value had a line break.
    var text: String? { isBroken ? nil : result }

    mutating func add(_ text: String) {
        if text.utf8.contains(UInt8(ascii: "\n")) { isBroken = true }
        result += text
        result += "\n"
    }

    mutating func add(_ number: Int) {
        add(String(number))
    }

    /// Seconds, to the microsecond.
    mutating func add(_ seconds: Double) {
        add(Int((seconds * 1e6).rounded()))
    }

    mutating func add(optional text: String?) {
        add(text.map { "=" + $0 } ?? "-")
    }
}

/// Reads what a ``LineWriter`` wrote; nil is the end, or something else.
struct LineReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    mutating func next() -> String? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end])
    }

    mutating func number() -> Int? {
        next().flatMap { Int($0) }
    }

    mutating func seconds() -> Double? {
        number().map { Double($0) / 1e6 }.flatMap { abs($0) <= 1e11 ? $0 : nil }
    }

    mutating func optional() -> String?? {
        guard let line = next() else { return nil }
        return switch line.utf8.first {
        case UInt8(ascii: "="): .some(String(line.dropFirst()))
        case UInt8(ascii: "-") where line.utf8.count == 1: .some(nil)
        default: nil
        }
    }
}
