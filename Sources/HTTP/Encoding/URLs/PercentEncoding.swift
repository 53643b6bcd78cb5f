/// Percent-encodes text for the parts of a URL, and decodes it.
///
/// ```swift
/// let name = PercentEncoding.encode("50% Äpfel & Birnen")
/// let path = PercentEncoding.path(segments: "users", "a/b", 7)
/// let text = PercentEncoding.decode("caf%C3%A9")
/// #expect(name == "50%25%20%C3%84pfel%20%26%20Birnen")
/// #expect(path == "/users/a%2Fb/7")
/// #expect(text == "café")
/// ```
///
/// Text without characters to encode or decode is returned unchanged, without a copy.
public enum PercentEncoding {
    /// Encodes a text for a name or a value in any part of a URL, as JavaScript's `encodeURIComponent` does.
    ///
    /// - Parameters:
    ///   - text: The text in plain form: a `%` becomes `%25`.
    ///   - spaceAsPlus: A Boolean value that indicates whether a space becomes `+`, as in forms.
    public static func encode(_ text: String, spaceAsPlus: Bool = false) -> String {
        encode(text, .component, spaceAsPlus: spaceAsPlus)
    }

    /// Encodes the bytes of a text that are in a set. If spaces become `+`, a `+` must be in the set.
    package static func encode(_ text: String, _ set: PercentEncodeSet, spaceAsPlus: Bool = false) -> String {
        encode(text, set, spaceAsPlus: spaceAsPlus, keepsEncoded: false)
    }

    /// Encodes the characters of a set in text that may already be encoded. `%2F` stays, and a `%` without two
    /// hexadecimal digits becomes `%25`.
    static func complete(_ text: String, _ set: PercentEncodeSet) -> String {
        encode(text, set, spaceAsPlus: false, keepsEncoded: true)
    }

    /// Returns a path of segments, each fully encoded: `/` becomes `%2F`.
    ///
    /// Use it for text that comes from outside. In a path that is written as one string, such as `"/users/\(name)"`, a
    /// `/`, a `?` or a `#` in the name keeps its meaning in a URL.
    ///
    /// A segment `.` or `..` is encoded too, but a URL with it is rejected. Servers treat such a segment as a reference
    /// to a folder, even if it is encoded.
    public static func path(segments: any LosslessStringConvertible...) -> String {
        segments.reduce(into: "") { path, segment in
            let text = segment.description
            path += "/"
            path += text == "." || text == ".." ? text.replacing(".", with: "%2E") : encode(text, .segment)
        }
    }

    /// Decodes every `%XX`. As in browsers, invalid UTF-8 becomes U+FFFD, and a `%` without two digits stays.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - plusAsSpace: A Boolean value that indicates whether a `+` becomes a space, as in forms.
    public static func decode(_ text: some StringProtocol, plusAsSpace: Bool = false) -> String {
        bytes(decoding: text, plusAsSpace: plusAsSpace).map { String(decoding: $0, as: UTF8.self) } ?? String(text)
    }

    /// Decodes every `%XX`. Returns nil if a `%` is not followed by two digits, or if the result is not UTF-8.
    public static func decode(exactly text: some StringProtocol, plusAsSpace: Bool = false) -> String? {
        guard isWellFormed(text) else { return nil }
        guard let bytes = bytes(decoding: text, plusAsSpace: plusAsSpace) else { return String(text) }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension PercentEncoding {
    @inline(never)
    private static func encode(
        _ text: String, _ set: PercentEncodeSet, spaceAsPlus: Bool, keepsEncoded: Bool
    ) -> String {
        var text = text
        let encoded: [UInt8]? = text.withUTF8 { bytes in
            func mustChange(_ index: Int) -> Bool {
                let byte = bytes[index]
                if byte == UInt8(ascii: "%"), keepsEncoded { return !bytes.hasEscape(at: index) }
                return set.contains(byte) || (spaceAsPlus && byte == UInt8(ascii: " "))
            }
            guard let first = bytes.indices.first(where: mustChange) else { return nil }
            var result = Array(bytes[..<first])
            result.reserveCapacity(bytes.count + 2 * (bytes.count - first))
            for index in first..<bytes.count {
                let byte = bytes[index]
                if !mustChange(index) {
                    result.append(byte)
                } else if spaceAsPlus, byte == UInt8(ascii: " ") {
                    result.append(UInt8(ascii: "+"))
                } else {
                    result.append(UInt8(ascii: "%"))
                    result.append((byte >> 4).hexadecimalDigit)
                    result.append((byte & 15).hexadecimalDigit)
                }
            }
            return result
        }
        return encoded.map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// Returns the decoded bytes of a text; nil if nothing is encoded.
    package static func bytes(decoding text: some StringProtocol, plusAsSpace: Bool) -> [UInt8]? {
        let bytes = text.utf8
        let isSpecial = { (byte: UInt8) in
            byte == UInt8(ascii: "%") || (plusAsSpace && byte == UInt8(ascii: "+"))
        }
        guard bytes.contains(where: isSpecial) else { return nil }
        return Array(bytes).withUnsafeBufferPointer { bytes in
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count)
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                if byte == UInt8(ascii: "%"), let value = bytes.escape(at: index) {
                    result.append(value)
                    index += 3
                } else {
                    result.append(plusAsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                    index += 1
                }
            }
            return result
        }
    }

    private static func isWellFormed(_ text: some StringProtocol) -> Bool {
        var missing = 0
        for byte in text.utf8 {
            if missing > 0 {
                guard byte.hexadecimalValue != nil else { return false }
                missing -= 1
            } else if byte == UInt8(ascii: "%") {
                missing = 2
            }
        }
        return missing == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns whether a `%` is followed by two hexadecimal digits.
    fileprivate func hasEscape(at index: Int) -> Bool {
        escape(at: index) != nil
    }

    /// Returns the byte that a `%` and the two digits after it represent.
    fileprivate func escape(at index: Int) -> UInt8? {
        guard index + 2 < count, let high = self[index + 1].hexadecimalValue,
            let low = self[index + 2].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }
}

extension UInt8 {
    /// The value of a hexadecimal digit; nil for other characters.
    @inline(__always)
    package var hexadecimalValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The hexadecimal digit for a value below 16, in upper case.
    @inline(__always)
    var hexadecimalDigit: UInt8 {
        self < 10 ? UInt8(ascii: "0") + self : UInt8(ascii: "A") + self - 10
    }
}

/// The bytes that are written as `%XX` in one part of a URL: the percent-encode sets of the WHATWG URL standard.
///
/// Every set contains the control characters and all bytes that are not ASCII. The other characters are in a table of
/// 128 bits, so that a lookup is a shift.
package struct PercentEncodeSet: Hashable, Sendable {
    private let low: UInt64
    private let high: UInt64

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// Creates a set with the characters of another set and these ASCII characters.
    init(_ base: PercentEncodeSet = .control, adding characters: String) {
        var low = base.low
        var high = base.high
        for byte in characters.utf8 where byte < 0x80 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
        }
        self.init(low: low, high: high)
    }

    /// Returns whether a byte is written as `%XX`.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    /// The characters that every part of a URL encodes: control characters and all that are not ASCII.
    static let control = PercentEncodeSet(low: 0xffff_ffff, high: 1 << 63)
    /// The characters that a fragment must encode.
    static let fragment = PercentEncodeSet(adding: " \"<>`")
    /// The characters that a query must encode. The delimiters of names and values, `&`, `=` and `+`, are not among
    /// them: see ``component``.
    static let query = PercentEncodeSet(adding: " \"#<>")
    /// The characters that a path must encode. `/` and `%` are not among them.
    static let path = PercentEncodeSet(.query, adding: "?^`{}")
    /// The characters that a user name or a password in a URL must encode.
    static let userinfo = PercentEncodeSet(.path, adding: "/:;=@[\\]|")
    /// The characters that have a meaning in some part of a URL: those that JavaScript's `encodeURIComponent` encodes,
    /// with `%`.
    static let component = PercentEncodeSet(.userinfo, adding: "$%&+,")
    /// The characters that a name or a value of an `application/x-www-form-urlencoded` body must encode.
    package static let form = PercentEncodeSet(.component, adding: "!'()~")
}

extension PercentEncodeSet {
    /// The characters of ``path``, and those that RFC 3986 also forbids there. Otherwise, `Foundation.URL` would encode
    /// them later.
    static let strictPath = PercentEncodeSet(.path, adding: "[\\]|")
    /// The characters of ``query``, and those that RFC 3986 also forbids there.
    static let strictQuery = PercentEncodeSet(.query, adding: "[\\]^`{|}")
    /// The characters of ``fragment``, and those that RFC 3986 also forbids there.
    static let strictFragment = PercentEncodeSet(.fragment, adding: "#[\\]^{|}")
    /// The characters that a user name and a password must encode, apart from the colon between them.
    static let strictUserinfo = PercentEncodeSet(.strictPath, adding: "/@")
    /// The characters that one segment of a path must encode.
    static let segment = PercentEncodeSet(.strictPath, adding: "/%")
}
