extension Redaction {
    /// Returns a JSON text with the values of redacted fields replaced. Each value keeps its type, so that a recording can
    /// still be decoded: a string becomes an ellipsis, a number 0, and objects and lists keep their shape.
    ///
    /// The text is not parsed as a whole, so that it may be invalid, only the beginning of a text, or several texts.
    ///
    /// - Parameter found: The list to which each replaced value is added.
    func redact(json bytes: [UInt8], found: inout SecretFields) -> [UInt8] {
        bytes.withUnsafeBufferPointer { bytes in
            var scan = JSONRedaction(bytes, self)
            let result = scan.run()
            found += scan.found
            return result
        }
    }
}

/// One pass over a JSON text.
private struct JSONRedaction {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let redaction: Redaction
    /// The secrets that occur in the text.
    private var secrets: ArraySlice<Range<Int>>
    private var result: [UInt8] = []
    private(set) var found: Redaction.SecretFields = []
    private var place = 0
    private var depth = 0
    /// The depth of the object or list whose values are all secret; nil outside of one.
    private var hiddenDepth: Int?
    /// A Boolean value that indicates whether the next value is that of a redacted field.
    private var isHidden = false
    /// The name of the newest redacted field.
    private var field = ""
    /// The names that were looked up.
    private var names: [String: Bool] = [:]

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ redaction: Redaction) {
        self.bytes = bytes
        self.redaction = redaction
        secrets = redaction.search.places(in: bytes)[...]
        result.reserveCapacity(bytes.count)
    }

    mutating func run() -> [UInt8] {
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "\""): string()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): number()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                if isHidden, hiddenDepth == nil { hiddenDepth = depth }
                isHidden = false
                copy(to: place + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if hiddenDepth == depth { hiddenDepth = nil }
                depth -= 1
                isHidden = false
                copy(to: place + 1)
            case UInt8(ascii: ","), UInt8(ascii: "\n"):
                isHidden = isHidden && byte != UInt8(ascii: ",")
                copy(to: place + 1)
            default: copy(to: place + 1)
            }
        }
        return result
    }

    private mutating func copy(to end: Int) {
        result += bytes[place..<end]
        place = end
    }

    private var hidesValue: Bool { isHidden || hiddenDepth != nil }

    private mutating func string() {
        var end = place + 1
        while end < bytes.count, bytes[end] != UInt8(ascii: "\"") { end += bytes[end] == UInt8(ascii: "\\") ? 2 : 1 }
        let content = (place + 1)..<min(end, bytes.count)
        end = min(end + 1, bytes.count)
        // A string before a colon is the name of a field.
        let next = bytes[end...].first { !$0.isJSONBlank }
        if next == UInt8(ascii: ":") {
            isHidden = hides(content)
            return copy(to: end)
        }
        let secret = hasSecret(before: end)
        if hidesValue {
            found.append((field, text(of: content)))
            result += "\"\(Redaction.ellipsis)\"".utf8
        } else if secret || mayHoldURL(content) {
            let text = String(decoding: bytes[content], as: UTF8.self).replacing("\\/", with: "/")
            result.append(UInt8(ascii: "\""))
            result += redaction.redact(text: text).utf8
            if end > content.upperBound { result.append(UInt8(ascii: "\"")) }
        } else {
            return copy(to: end)
        }
        place = end
        isHidden = false
    }

    /// Returns whether a string may hold a URL with a secret. Most do not, and are copied.
    private func mayHoldURL(_ content: Range<Int>) -> Bool {
        bytes[content].contains(UInt8(ascii: "/"))
            && (redaction.hasSecrets || bytes[content].contains { "?#@;".utf8.contains($0) })
    }

    private mutating func number() {
        let end = bytes[place...].firstIndex { !$0.isNumberPart } ?? bytes.count
        if hasSecret(before: end) || hidesValue {
            found.append((field, String(decoding: bytes[place..<end], as: UTF8.self)))
            result.append(UInt8(ascii: "0"))
            place = end
        } else {
            copy(to: end)
        }
        isHidden = false
    }

    /// Returns whether a known secret is between the current place and another one.
    private mutating func hasSecret(before end: Int) -> Bool {
        while let first = secrets.first, first.upperBound <= place { secrets.removeFirst() }
        return secrets.first.map { $0.lowerBound < end } ?? false
    }

    private mutating func hides(_ name: Range<Int>) -> Bool {
        let name = text(of: name)
        let hides = names[name] ?? redaction.hides(field: name)
        names[name] = hides
        if hides { field = name }
        return hides
    }

    /// Returns the text of a string without its quotes, in which characters may be escaped.
    private func text(of content: Range<Int>) -> String {
        let raw = String(decoding: bytes[content], as: UTF8.self)
        guard bytes[content].contains(UInt8(ascii: "\\")) else { return raw }
        return (try? JSONDecoder().decode(String.self, from: Data("\"\(raw)\"".utf8))) ?? raw
    }
}

extension UInt8 {
    fileprivate var isJSONBlank: Bool {
        self == UInt8(ascii: " ") || self == UInt8(ascii: "\n") || self == UInt8(ascii: "\r")
            || self == UInt8(ascii: "\t")
    }

    fileprivate var isNumberPart: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }
}
