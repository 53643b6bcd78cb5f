/// The header lines of a message, in order, in their original case, including duplicates.
///
/// ```swift
/// let headers: HeaderLines = ["Content-Type": "text/plain", "Set-Cookie": "a=1", "Set-Cookie": "b=2"]
/// let type = headers["content-type"]
/// let cookies = headers.all("Set-Cookie")
/// ```
public struct HeaderLines: Sendable, Equatable {
    /// One line, without its end.
    public struct Line: Sendable, Equatable {
        /// The line as it is on the wire.
        public let bytes: [UInt8]

        /// Creates a line of the form `name: value`.
        public init(_ name: String, _ value: String) {
            bytes = Array("\(name): \(value)".utf8)
        }

        /// Creates a line of exactly these bytes, even if HTTP does not allow them: bytes outside of ASCII, no space
        /// after the colon, or no colon.
        public init(bytes: some Sequence<UInt8>) {
            self.bytes = Array(bytes)
        }

        /// The text before the colon.
        public var name: String { Text.string(bytes.prefix { $0 != Byte.colon }) }

        /// The text after the colon, without white space around it.
        public var value: String {
            guard let colon = bytes.firstIndex(of: Byte.colon) else { return "" }
            return Text.string(Text.trimmed(bytes[(colon + 1)...]))
        }

        func isNamed(_ name: some Collection<UInt8>) -> Bool {
            bytes.count > name.count && bytes[name.count] == Byte.colon
                && zip(bytes, name).allSatisfy { Byte.lowercase($0) == Byte.lowercase($1) }
        }
    }

    public var lines: [Line]

    public init(_ lines: [Line] = []) {
        self.lines = lines
    }

    /// The value of the first line with a name, or nil. The case of the name is ignored.
    public subscript(name: String) -> String? {
        lines.first { $0.isNamed(name.utf8) }?.value
    }

    /// Returns the values of all lines with a name, in order. The case of the name is ignored.
    public func all(_ name: String) -> [String] {
        lines.filter { $0.isNamed(name.utf8) }.map(\.value)
    }

    public mutating func append(_ name: String, _ value: String) {
        lines.append(Line(name, value))
    }

    public mutating func append(_ line: Line) {
        lines.append(line)
    }
}

extension HeaderLines: RandomAccessCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { lines.count }

    public subscript(position: Int) -> (name: String, value: String) {
        (lines[position].name, lines[position].value)
    }
}

extension HeaderLines: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { Line($0.0, $0.1) }
    }
}

extension HeaderLines: CustomStringConvertible {
    public var description: String {
        lines.map { Text.string($0.bytes) }.joined(separator: "\n")
    }
}
