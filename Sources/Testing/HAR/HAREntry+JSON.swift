/// Writes entries as JSON. `JSONEncoder` takes longer than the whole call that is recorded.
struct HARText {
    private(set) var bytes: [UInt8] = []

    mutating func object(_ fields: (inout HARText) -> Void) {
        begin(UInt8(ascii: "{"))
        fields(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    mutating func field(_ name: StaticString, _ fields: (inout HARText) -> Void) {
        key(name)
        object(fields)
    }

    mutating func field(_ name: StaticString, _ text: String?) {
        guard let text else { return }
        key(name)
        string(text)
    }

    mutating func field(_ name: StaticString, _ number: (some BinaryInteger)?) {
        guard let number else { return }
        key(name)
        bytes += "\(number)".utf8
    }

    mutating func field(_ name: StaticString, _ number: Double) {
        key(name)
        let text = "\(number)"
        bytes += text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...]
    }

    mutating func field(_ name: StaticString, _ pairs: [HAREntry.Pair]?) {
        guard let pairs else { return }
        key(name)
        bytes.append(UInt8(ascii: "["))
        for pair in pairs {
            object { text in
                text.field("name", pair.name)
                text.field("value", pair.value)
            }
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func key(_ name: StaticString) {
        begin(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes += $0 }
        bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
    }

    /// Adds the first byte of a value, and a comma if it is not the first value.
    private mutating func begin(_ byte: UInt8) {
        if let last = bytes.last, !"{[:".utf8.contains(last) { bytes.append(UInt8(ascii: ",")) }
        bytes.append(byte)
    }

    private mutating func string(_ text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { text in
            var start = 0
            for place in text.indices where text[place].needsEscape {
                bytes += text[start..<place]
                escape(text[place])
                start = place + 1
            }
            bytes += text[start...]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case UInt8(ascii: "\n"): bytes.append(UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): bytes.append(UInt8(ascii: "t"))
        default:
            let digits = String(byte, radix: 16)
            bytes += (digits.utf8.count == 1 ? "u000\(digits)" : "u00\(digits)").utf8
        }
    }
}

extension UInt8 {
    fileprivate var needsEscape: Bool { self < 0x20 || self == UInt8(ascii: "\"") || self == UInt8(ascii: "\\") }
}

extension HAREntry {
    var json: [UInt8] {
        var text = HARText()
        text.object { text in
            text.field("startedDateTime", startedDateTime)
            text.field("time", time)
            text.field("request", request.write)
            text.field("response", response.write)
            // The format requires the object. The use of the cache is in `_cache`.
            text.field("cache") { _ in }
            text.field("timings", timings.write)
            text.field("serverIPAddress", serverIPAddress)
            text.field("_call", _call)
            text.field("_attempt", _attempt)
            text.field("_cause", _cause)
            text.field("_cache", _cache)
            text.field("_request", _request)
        }
        return text.bytes
    }
}

extension HAREntry.Request {
    fileprivate func write(to text: inout HARText) {
        text.field("method", method)
        text.field("url", url)
        text.field("httpVersion", httpVersion)
        text.field("cookies", cookies)
        text.field("headers", headers)
        text.field("queryString", queryString)
        if let postData { text.field("postData", postData.write) }
        text.field("headersSize", headersSize)
        text.field("bodySize", bodySize)
        text.field("_digest", _digest)
    }
}

extension HAREntry.PostData {
    fileprivate func write(to text: inout HARText) {
        text.field("mimeType", mimeType)
        text.field("params", params)
        text.field("text", self.text)
        text.field("_encoding", _encoding)
    }
}

extension HAREntry.Response {
    fileprivate func write(to text: inout HARText) {
        text.field("status", status)
        text.field("statusText", statusText)
        text.field("httpVersion", httpVersion)
        text.field("cookies", cookies)
        text.field("headers", headers)
        text.field("content", content.write)
        text.field("redirectURL", redirectURL)
        text.field("headersSize", headersSize)
        text.field("bodySize", bodySize)
        text.field("_trailers", _trailers)
        text.field("_error", _error)
        text.field("_code", _code)
    }
}

extension HAREntry.Content {
    fileprivate func write(to text: inout HARText) {
        text.field("size", size)
        text.field("compression", compression)
        text.field("mimeType", mimeType)
        text.field("text", self.text)
        text.field("encoding", encoding)
        text.field("comment", comment)
    }
}

extension HAREntry.Timings {
    fileprivate func write(to text: inout HARText) {
        text.field("blocked", blocked)
        text.field("dns", dns)
        text.field("connect", connect)
        text.field("ssl", ssl)
        text.field("send", send)
        text.field("wait", wait)
        text.field("receive", receive)
    }
}
