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

/// Reads the lines of a ``LineWriter``. A method returns nil at the end, or if the line has another form.
struct LineReader {
    private let text: String
    /// The start of the next line, in UTF-8.
    private var place = 0

    init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    mutating func next() -> String? {
        line { String(decoding: $0, as: UTF8.self) }
    }

    mutating func number() -> Int? {
        line { Int(decimal: $0) }
    }

    mutating func seconds() -> Double? {
        number().map { Double(bitPattern: UInt64(bitPattern: Int64($0))) }.flatMap { abs($0) <= 1e11 ? $0 : nil }
    }

    mutating func escaped() -> String? {
        line { line in
            var bytes: [UInt8] = []
            var isEscaped = false
            for byte in line {
                if isEscaped {
                    bytes.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else {
                    bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    mutating func optional() -> String?? {
        line { line in
            switch line.first {
            case UInt8(ascii: "="): .some(String(decoding: line.dropFirst(), as: UTF8.self))
            case UInt8(ascii: "-") where line.count == 1: .some(nil)
            default: nil
            }
        }
    }

    private mutating func line<Result>(_ read: (Slice<UnsafeBufferPointer<UInt8>>) -> Result?) -> Result? {
        let start = place
        var next = start
        let result = text.utf8.withContiguousStorageIfAvailable { bytes in
            let rest = bytes[start...]
            guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return Result?.none }
            next = end + 1
            return read(rest[..<end])
        }
        place = next
        return result ?? nil
    }
}

extension Int {
    /// Reads a decimal number, with or without a minus sign. Nil for anything else, and for a number that is too large.
    fileprivate init?(decimal digits: Slice<UnsafeBufferPointer<UInt8>>) {
        let isNegative = digits.first == UInt8(ascii: "-")
        let digits = isNegative ? digits.dropFirst() : digits
        guard !digits.isEmpty else { return nil }
        var number = 0
        for byte in digits {
            guard let digit = byte.decimalDigit else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(digit)
            guard !isTooLarge, !overflows else { return nil }
            number = sum
        }
        self = isNegative ? -number : number
    }
}
