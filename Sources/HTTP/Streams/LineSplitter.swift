/// Splits a body into lines while it arrives.
///
/// A line feed ends a line, with or without a carriage return before it. A carriage return alone belongs to the line. The
/// last line needs no end. A byte order mark at the beginning of the body is left out.
struct LineSplitter {
    /// The highest number of bytes in a line, without its end.
    let limit: Int
    /// The number of lines so far.
    private(set) var count = 0
    private var buffer = StreamBuffer()
    private var hasBegun = false
    private var isAtEnd = false

    init(limit: Int) {
        self.limit = max(0, limit)
    }

    /// Adds a portion of the body.
    mutating func append(_ portion: Data) {
        buffer.append(portion)
    }

    /// Notes that the body has ended.
    mutating func end() {
        isAtEnd = true
    }

    /// Returns the result of a closure that gets the next line; nil if the line is not complete yet.
    mutating func next<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result? {
        if !hasBegun {
            if buffer.mayBeginMark, !isAtEnd { return nil }
            buffer.removeByteOrderMark()
            hasBegun = true
        }
        let found = buffer.lengthOfLine()
        guard let length = found ?? (isAtEnd && buffer.count > 0 ? buffer.count : nil) else {
            // A carriage return at the end may belong to the end of the line.
            if buffer.count - (buffer.last == 0x0D ? 1 : 0) > limit {
                throw ElementExcess(element: "line \(count + 1)", limit: limit)
            }
            return nil
        }
        count += 1
        defer { buffer.removeFirst(found == nil ? length : length + 1) }
        return try buffer.withFirst(length) { bytes in
            let hasReturn = found != nil && bytes.last == 0x0D
            let line = hasReturn ? UnsafeRawBufferPointer(rebasing: bytes.dropLast()) : bytes
            if line.count > limit { throw ElementExcess(element: "line \(count)", limit: limit) }
            return try body(line)
        }
    }
}

/// A line or an event that exceeds its limit.
package struct ElementExcess: Error, Equatable {
    /// The name of the element, such as `line 3`.
    let element: String
    let limit: Int

    package func error(_ response: HTTPResponse) -> RequestError {
        RequestError(
            .elementTooLarge, phase: .receive,
            detail:
                "\(element) of the body has more than \(limit) bytes: raise the limit of the stream, or check the URL",
            request: response.request, response: response)
    }
}
