/// The header lines of a message, in order, in the case they were written in, duplicates and all.
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

        /// A line that says `name: value`.
        public init(_ name: String, _ value: String) {
            bytes = Array("\(name): \(value)".utf8)
        }

        /// A line exactly as given, whether or not it is one that HTTP allows: bytes outside of ASCII, no space after the
        /// colon, no colon at all.
        public init(bytes: some Sequence<UInt8>) {
            self.bytes = Array(bytes)
        }

        /// What stands before the colon.
        public var name: String { Text.string(bytes.prefix { $0 != Byte.colon }) }

        /// What stands behind the colon, without white space around it.
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

    /// The value of the first line with a name, in whatever case; nil if there is none.
    public subscript(name: String) -> String? {
        lines.first { $0.isNamed(name.utf8) }?.value
    }

    /// The values of all lines with a name, in order.
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
