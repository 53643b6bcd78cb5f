/// A parser that reads the head of a request in one pass, without making a string.
///
/// It is as strict as RFC 9112 allows. A rejected request is a bug of the client, which a test should see.
enum HeadParser {
    static let limit = 1 << 20

    static func parse(_ bytes: UnsafeRawBufferPointer) -> HeadResult {
        var head = RequestHead()
        var position = 0
        // As RFC 9112 recommends, empty lines before a request are ignored.
        while position + 1 < bytes.count, bytes[position] == Byte.carriageReturn, bytes[position + 1] == Byte.lineFeed {
            position += 2
        }
        guard var end = lineEnd(bytes, from: position) else { return incomplete(bytes) }
        if let reason = requestLine(bytes, from: position, to: end, &head) { return .malformed(reason, status: 400) }
        position = end + 2
        head.linesStart = position
        while true {
            guard let next = lineEnd(bytes, from: position) else { return incomplete(bytes) }
            end = next
            if end == position { break }
            if let reason = headerLine(bytes, from: position, to: end, &head) {
                return .malformed(reason, status: 400)
            }
            position = end + 2
        }
        head.end = end + 2
        if head.minorVersion == 1, head.hosts != 1 {
            return .malformed("\(head.hosts) Host fields instead of one", status: 400)
        }
        if head.isChunked, head.length != nil {
            return .malformed("both Content-Length and Transfer-Encoding", status: 400)
        }
        return .head(head)
    }

    private static func incomplete(_ bytes: UnsafeRawBufferPointer) -> HeadResult {
        if bytes.count > limit { return .malformed("a head of more than \(limit) bytes", status: 431) }
        // Bytes that cannot begin a request are rejected without waiting for the end of the head.
        if let first = bytes.first(where: { $0 != Byte.carriageReturn && $0 != Byte.lineFeed }), !Byte.isToken(first) {
            return .malformed("no method", status: 400)
        }
        if let end = bytes.firstIndex(of: Byte.lineFeed), end > 0, bytes[end - 1] != Byte.carriageReturn {
            return .malformed("a line that ends without a carriage return", status: 400)
        }
        return .incomplete
    }

    /// Returns the index of the carriage return that ends the line at a position, or nil if the line is incomplete.
    @inline(__always)
    private static func lineEnd(_ bytes: UnsafeRawBufferPointer, from position: Int) -> Int? {
        guard position < bytes.count, let base = bytes.baseAddress,
            let found = memchr(base + position, Int32(Byte.lineFeed), bytes.count - position)
        else { return nil }
        let index = UnsafeRawPointer(found) - base
        guard index > position, bytes[index - 1] == Byte.carriageReturn else {
            // A line feed without a carriage return, which the caller rejects.
            return index > position ? index : nil
        }
        return index - 1
    }

    private static func requestLine(
        _ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, _ head: inout RequestHead
    ) -> String? {
        guard end < bytes.count, bytes[end] == Byte.carriageReturn else {
            return "a line that ends without a carriage return"
        }
        var position = start
        while position < end, Byte.isToken(bytes[position]) { position += 1 }
        guard position > start, position < end, bytes[position] == Byte.space else { return "no method" }
        head.methodStart = start
        head.methodEnd = position
        position += 1
        head.targetStart = position
        while position < end, bytes[position] > Byte.space, bytes[position] != 0x7f { position += 1 }
        guard position > head.targetStart else { return "no target" }
        guard position < end, bytes[position] == Byte.space else { return "no version" }
        head.targetEnd = position
        position += 1
        guard end - position == 8, let base = bytes.baseAddress, memcmp(base + position, "HTTP/1.", 7) == 0,
            bytes[end - 1] == 48 || bytes[end - 1] == 49
        else { return "a version other than HTTP/1.0 and HTTP/1.1" }
        head.minorVersion = Int(bytes[end - 1]) - 48
        path(bytes, &head)
        return nil
    }

    /// Finds the path of a target in any of its four forms.
    private static func path(_ bytes: UnsafeRawBufferPointer, _ head: inout RequestHead) {
        var position = head.targetStart
        if bytes[position] != Byte.slash, let scheme = schemeEnd(bytes, head) {
            position = scheme
            while position < head.targetEnd, bytes[position] != Byte.slash, bytes[position] != Byte.question {
                position += 1
            }
        }
        head.pathStart = position
        while position < head.targetEnd, bytes[position] != Byte.question { position += 1 }
        head.pathEnd = position
    }

    /// Returns the index after the `://` of a target in absolute form, or nil.
    private static func schemeEnd(_ bytes: UnsafeRawBufferPointer, _ head: RequestHead) -> Int? {
        var position = head.targetStart
        while position + 2 < head.targetEnd {
            if bytes[position] == Byte.colon {
                return bytes[position + 1] == Byte.slash && bytes[position + 2] == Byte.slash ? position + 3 : nil
            }
            position += 1
        }
        return nil
    }

    private static func headerLine(
        _ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int, _ head: inout RequestHead
    ) -> String? {
        guard bytes[end] == Byte.carriageReturn else { return "a line that ends without a carriage return" }
        var colon = start
        while colon < end, Byte.isToken(bytes[colon]) { colon += 1 }
        guard colon < end, bytes[colon] == Byte.colon else {
            return bytes[start] == Byte.space || bytes[start] == Byte.tab
                ? "a header line that begins with white space" : "a header line without a name and a colon"
        }
        guard colon > start else { return "a header line without a name" }
        for index in (colon + 1)..<end {
            let byte = bytes[index]
            if byte < 0x20 && byte != Byte.tab || byte == 0x7f { return "a control character in a header line" }
        }
        switch colon - start {
        case 4, 6, 10, 14, 17: return known(bytes, start, colon, end, &head)
        default: return nil
        }
    }

    /// Reads the headers that determine how the server reads on.
    private static func known(
        _ bytes: UnsafeRawBufferPointer, _ start: Int, _ colon: Int, _ end: Int, _ head: inout RequestHead
    ) -> String? {
        let name = UnsafeRawBufferPointer(rebasing: bytes[start..<colon])
        var (from, to) = (colon + 1, end)
        while from < to, bytes[from] == Byte.space || bytes[from] == Byte.tab { from += 1 }
        while from < to, bytes[to - 1] == Byte.space || bytes[to - 1] == Byte.tab { to -= 1 }
        let value = UnsafeRawBufferPointer(rebasing: bytes[from..<to])
        if equal(name, "host") {
            head.hosts += 1
        } else if equal(name, "expect") {
            head.expectsContinue = equal(value, "100-continue")
        } else if equal(name, "connection") {
            for option in value.split(separator: UInt8(ascii: ",")) {
                let option = Text.trimmed(ArraySlice(option))
                option.withUnsafeBytes {
                    if equal($0, "close") { head.closes = true }
                    if equal($0, "keep-alive") { head.keepsAlive = true }
                }
            }
        } else if equal(name, "content-length") {
            guard let length = number(value) else { return "a Content-Length that is not a number" }
            guard head.length == nil || head.length == length else { return "two different values of Content-Length" }
            head.length = length
        } else if equal(name, "transfer-encoding") {
            guard equal(value, "chunked"), !head.isChunked else { return "a Transfer-Encoding other than chunked" }
            head.isChunked = true
        }
        return nil
    }

    private static func number(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
        var number = 0
        for byte in bytes {
            guard byte >= 48, byte <= 57 else { return nil }
            number = number * 10 + Int(byte) - 48
        }
        return number
    }

    /// Returns whether bytes are equal to a lowercase text, ignoring case.
    @inline(__always)
    private static func equal(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        guard bytes.count == text.utf8CodeUnitCount else { return false }
        for index in bytes.indices where Byte.lowercase(bytes[index]) != text.utf8Start[index] { return false }
        return true
    }
}

/// The positions of the parts of a request's head, and its properties that determine how the server reads on.
struct RequestHead {
    /// The start of the method. Empty lines may precede it.
    var methodStart = 0
    var methodEnd = 0
    var targetStart = 0
    var targetEnd = 0
    /// The path inside of the target, without the query.
    var pathStart = 0
    var pathEnd = 0
    var linesStart = 0
    /// The index after the empty line.
    var end = 0

    var minorVersion = 1
    var length: Int?
    var isChunked = false
    var closes = false
    var keepsAlive = false
    var expectsContinue = false
    var hosts = 0

    var hasBody: Bool { isChunked || (length ?? 0) > 0 }
    /// A Boolean value that indicates whether the client leaves the connection open for more requests.
    var isPersistent: Bool { !closes && (minorVersion == 1 || keepsAlive) }
}

/// The result of parsing a head.
enum HeadResult {
    case incomplete
    case head(RequestHead)
    /// Bytes that are not an HTTP/1 request, with the reason.
    case malformed(String, status: Int)
}
