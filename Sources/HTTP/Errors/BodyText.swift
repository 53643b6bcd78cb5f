/// The decision whether a body can be shown as a text.
package enum BodyText {
    /// Returns the text of a body; nil if it is binary.
    ///
    /// The type decides if it is that of an image, a sound, a video or a font. Otherwise, the bytes do: a text is valid
    /// UTF-8 without control characters, except at its end, where a character may be cut off.
    package static func of(_ body: Data, _ type: MIMEType?) -> String? {
        if let type, ["image", "audio", "video", "font"].contains(type.type), !type.subtype.hasSuffix("+xml") {
            return nil
        }
        let isBinary = body.contains { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D || $0 == 0x7F }
        if isBinary { return nil }
        // Other encodings of texts have the letters of ASCII in common.
        if let type, type.type == "text", let charset = type.charset, charset != "utf-8" {
            return String(decoding: body.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
        }
        for cut in 0...min(3, body.count) {
            if let text = String(validating: body.dropLast(cut), as: UTF8.self) { return text }
        }
        return nil
    }
}
