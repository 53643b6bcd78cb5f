/// The bytes that have a meaning in HTTP.
enum Byte {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let colon = UInt8(ascii: ":")
    static let semicolon = UInt8(ascii: ";")
    static let slash = UInt8(ascii: "/")
    static let question = UInt8(ascii: "?")

    static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 65 < 26 ? byte | 0x20 : byte
    }

    /// Returns whether a byte may be part of a method or a header name: a `tchar` of RFC 9110.
    @inline(__always)
    static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<64: tokensLow & (1 << UInt64(byte)) != 0
        case 64..<128: tokensHigh & (1 << UInt64(byte - 64)) != 0
        default: false
        }
    }

    private static let tokensLow: UInt64 = 0x03ff_6cfa_0000_0000
    private static let tokensHigh: UInt64 = 0x57ff_ffff_c7ff_fffe

    static func hexadecimal(_ byte: UInt8) -> Int? {
        switch byte {
        case 48...57: Int(byte) - 48
        case 65...70: Int(byte) - 55
        case 97...102: Int(byte) - 87
        default: nil
        }
    }
}

/// Text from bytes.
enum Text {
    /// Decodes UTF-8, or Latin-1 if the bytes are not UTF-8.
    static func string(_ bytes: some Collection<UInt8>) -> String {
        String(validating: bytes, as: UTF8.self) ?? String(decoding: bytes.map(UInt16.init), as: UTF16.self)
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == Byte.space || byte == Byte.tab }
        var bytes = bytes.drop(while: isSpace)
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return bytes
    }
}
