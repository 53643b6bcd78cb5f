import TangoCache

extension CacheKey {
    /// Creates the key from bytes in hexadecimal, with or without `0x`.
    init(hexadecimal text: String) throws {
        let digits = Array((text.hasPrefix("0x") || text.hasPrefix("0X") ? text.dropFirst(2) : text[...]).utf8)
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == digits.count, digits.count.isMultiple(of: 2) else {
            throw UsageError("\"\(text)\" is not hexadecimal: write two digits for each byte, such as 00ff10.")
        }
        self.init(bytes: stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }

    /// The bytes in hexadecimal.
    var hexadecimal: String {
        bytes.reduce(into: "") { text, byte in text += (byte < 16 ? "0" : "") + String(byte, radix: 16) }
    }

    /// The key as the tool prints it: as text if it is printable, otherwise in hexadecimal.
    var shown: String {
        guard let text, !text.isEmpty, text.isPrintable else { return "0x" + hexadecimal }
        return text
    }
}

extension String {
    /// Returns the text without its middle, if it is longer than the limit.
    func shortened(to limit: Int) -> String {
        guard count > limit else { return self }
        let half = (limit - 1) / 2
        return prefix(limit - 1 - half) + "…" + suffix(half)
    }
}
