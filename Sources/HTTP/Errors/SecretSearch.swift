/// Finds known secrets in bytes, in each form in which texts have them.
///
/// A secret is found as a whole word only: `closed-case-17` is not part of `closed-case-173`. It is found as it is,
/// percent-encoded, escaped as in JSON, and in base64. Bytes are compared, not characters: a combining mark after a secret
/// would hide it otherwise.
package final class SecretSearch: Sendable {
    /// The length from which a secret is searched for. Shorter ones are found in unrelated texts.
    package static let shortest = 8

    /// The forms of the secrets by their first bytes, the longest first, because a secret may contain another one.
    private let forms: [UInt8: [[UInt8]]]
    /// The bytes that begin a form. Most begin none.
    private let begins: [Bool]

    init(_ secrets: [String]) {
        var forms: Set<[UInt8]> = []
        for secret in secrets where secret.utf8.count >= Self.shortest { forms.formUnion(Self.forms(of: secret)) }
        self.forms = Dictionary(grouping: forms.ordered { $0.count > $1.count }) { $0[0] }
        begins = (0...UInt8.max).map { [keys = self.forms] byte in keys[byte] != nil }
    }

    var isEmpty: Bool { forms.isEmpty }

    private static func forms(of secret: String) -> [[UInt8]] {
        let percent = PercentEncoding.encode(secret)
        let escaped = secret.escaping(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
        var texts = [
            secret, percent, percent.lowercasedEscapes, PercentEncoding.encode(secret, spaceAsPlus: true), escaped,
            escaped.escaping(["/": "\\/"]), Data(secret.utf8).base64EncodedString(),
        ]
        if secret.utf8.contains(where: { $0 >= 0x80 }) {
            texts += [escaped.escapedUnicode(uppercase: false), escaped.escapedUnicode(uppercase: true)]
        }
        return texts.map { Array($0.utf8) }
    }

    /// Returns the places of the secrets, from first to last.
    package func places(in bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>] {
        guard !isEmpty else { return [] }
        var places: [Range<Int>] = []
        begins.withUnsafeBufferPointer { begins in
            var place = 0
            while place < bytes.count {
                guard begins[Int(bytes[place])], let length = match(at: place, in: bytes) else {
                    place += 1
                    continue
                }
                places.append(place..<(place + length))
                place += length
            }
        }
        return places
    }

    private func match(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        for form in forms[bytes[place]] ?? [] {
            let end = place + form.count
            guard end <= bytes.count, zip(form, bytes[place..<end]).allSatisfy(==) else { continue }
            if Self.begins(at: place, in: bytes),
                end == bytes.count || !(form.last?.isWord ?? false) || !bytes[end].isWord
            {
                return form.count
            }
        }
        return nil
    }

    /// Returns whether a word begins at a place. The letters of an escape before it, such as `%20` and `\n`, are no part of it.
    private static func begins(at place: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard place > 0, bytes[place].isWord, bytes[place - 1].isWord else { return true }
        func has(_ byte: Character, before distance: Int) -> Bool {
            place >= distance && byte.asciiValue == bytes[place - distance]
        }
        if has("\\", before: 2)
            || has("%", before: 3) && bytes[place - 2].hexadecimalValue != nil
                && bytes[place - 1].hexadecimalValue != nil
        {
            return true
        }
        return has("\\", before: 6) && has("u", before: 5)
    }

    /// Returns bytes in which each secret is replaced; nil if there is none.
    func replacing(in bytes: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        let places = places(in: bytes)
        guard !places.isEmpty else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var start = 0
        for place in places {
            result += bytes[start..<place.lowerBound]
            result += Redaction.ellipsis.utf8
            start = place.upperBound
        }
        return result + bytes[start...]
    }

    /// Returns a text in which each secret is replaced.
    func replacing(in text: String) -> String {
        guard !isEmpty else { return text }
        var text = text
        return text.withUTF8 { replacing(in: $0) }.map { String(decoding: $0, as: UTF8.self) } ?? text
    }
}

extension String {
    /// The text with percent-encoding in lower case: `%2F` becomes `%2f`.
    fileprivate var lowercasedEscapes: String {
        var digits = 0
        let bytes = utf8.map { byte -> UInt8 in
            if byte == UInt8(ascii: "%") { digits = 4 }
            digits = max(0, digits - 1)
            return digits > 0 && (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte) ? byte | 0x20 : byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the text with each unit of UTF-16 beyond ASCII as `\u` and four digits.
    fileprivate func escapedUnicode(uppercase: Bool) -> String {
        utf16.map { unit in
            guard unit >= 0x80 else { return String(decoding: [unit], as: UTF16.self) }
            let digits = String(unit, radix: 16, uppercase: uppercase)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

extension UInt8 {
    /// A Boolean value that indicates whether the byte belongs to the words next to it.
    fileprivate var isWord: Bool { isLetter || isDigit || self == UInt8(ascii: "_") }
}
