/// Writes values as text, one line for each value.
struct LineWriter {
    private var result = ""
    private var isBroken = false

    /// All lines; nil if a value had a line break.
    var text: String? { isBroken ? nil : result }

    mutating func add(_ text: String) {
        if text.utf8.contains(UInt8(ascii: "\n")) { isBroken = true }
        result += text
        result += "\n"
    }

    mutating func add(_ number: Int) {
        add(String(number))
    }

    /// Adds seconds without rounding, as the bits of the number.
    mutating func add(_ seconds: Double) {
        add(Int(truncatingIfNeeded: seconds.bitPattern))
    }

    /// Adds text that may have line breaks.
    mutating func add(escaped text: String) {
        add(text.escaping(["\\": "\\\\", "\n": "\\n"]))
    }

    mutating func add(optional text: String?) {
        add(text.map { "=" + $0 } ?? "-")
    }
}

/// Reads the lines of a ``LineWriter``. A method throws at the end, or if the line has another form.
struct LineReader {
    struct Malformed: Error {}

    private let lines: [Substring.UTF8View]
    private var place = 0

    init(_ text: String) {
        // Each line ends with a break, so nothing complete follows the last one.
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
    }

    private mutating func line() throws -> Substring.UTF8View {
        guard place < lines.count else { throw Malformed() }
        defer { place += 1 }
        return lines[place]
    }

    mutating func next() throws -> String { String(Substring(try line())) }

    mutating func number() throws -> Int {
        guard let number = Int(Substring(try line())) else { throw Malformed() }
        return number
    }

    mutating func seconds() throws -> Double {
        let seconds = Double(bitPattern: UInt64(bitPattern: Int64(try number())))
        guard abs(seconds) <= 1e11 else { throw Malformed() }
        return seconds
    }

    mutating func escaped() throws -> String {
        try next().components(separatedBy: "\\\\").map { $0.replacing("\\n", with: "\n") }.joined(separator: "\\")
    }

    mutating func optional() throws -> String? {
        let line = try line()
        if line.first == UInt8(ascii: "=") { return String(Substring(line.dropFirst())) }
        guard line.elementsEqual("-".utf8) else { throw Malformed() }
        return nil
    }

    /// Reads the number of elements, and then each element.
    mutating func list<Element>(_ read: (inout LineReader) throws -> Element) throws -> [Element] {
        let count = try number()
        // A damaged entry may promise any number.
        guard count >= 0, count <= lines.count - place else { throw Malformed() }
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }
}
