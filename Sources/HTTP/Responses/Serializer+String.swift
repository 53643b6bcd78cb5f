extension Serializer where Output == String {
    /// Decodes the body as text, as browsers do. The encoding is that of a byte order mark or of the `Content-Type`.
    /// Without either, it is UTF-8, or else Windows-1252.
    public static var string: Self {
        Self(OutputDecoder(form: .text) { response, _ in try response.text() })
    }
}

extension HTTPResponse {
    fileprivate func text() throws -> String {
        if let marked = TextEncoding.ofByteOrderMark(in: body) {
            return marked.encoding.decode(body.dropFirst(marked.length))
        }
        let type = headers["Content-Type"].flatMap { MIMEType(parsing: $0) }
        guard let charset = type?["charset"], !charset.isEmpty else {
            return TextEncoding.guess(body)
        }
        if let encoding = TextEncoding(charset: charset) { return encoding.decode(body) }
        // An unknown encoding is often wrong as well, so UTF-8 is tried.
        if let text = String(validating: body, as: UTF8.self) { return text }
        throw RequestError(
            .notDecodable, phase: .decode,
            detail: "the charset \(charset.debugDescription) is not supported: "
                + "write a serializer that decodes response.body")
    }
}

/// The supported text encodings.
enum TextEncoding: Hashable, Sendable {
    case utf8
    case utf16(isBigEndian: Bool)
    /// Latin-1 with the printable characters of Windows from 128 to 159. It is also used for Latin-1 and ASCII.
    case windows1252

    init?(charset: String) {
        switch charset.lowercased() {
        case "utf-8", "utf8", "unicode-1-1-utf-8": self = .utf8
        case "utf-16", "utf-16be": self = .utf16(isBigEndian: true)
        case "utf-16le": self = .utf16(isBigEndian: false)
        case "iso-8859-1", "iso8859-1", "latin1", "l1", "us-ascii", "ascii", "windows-1252", "cp1252", "x-cp1252":
            self = .windows1252
        default: return nil
        }
    }

    static func ofByteOrderMark(in data: Data) -> (encoding: TextEncoding, length: Int)? {
        if data.starts(with: [0xEF, 0xBB, 0xBF]) { return (.utf8, 3) }
        if data.starts(with: [0xFE, 0xFF]) { return (.utf16(isBigEndian: true), 2) }
        if data.starts(with: [0xFF, 0xFE]) { return (.utf16(isBigEndian: false), 2) }
        return nil
    }

    /// Decodes text of unknown encoding.
    static func guess(_ data: Data) -> String {
        String(validating: data, as: UTF8.self) ?? TextEncoding.windows1252.decode(data)
    }

    /// Decodes all bytes. Invalid bytes become replacement characters.
    func decode(_ data: Data) -> String {
        switch self {
        case .utf8: return String(decoding: data, as: UTF8.self)
        case .utf16(let isBigEndian):
            let bytes = [UInt8](data)
            let units = stride(from: 0, to: bytes.count, by: 2).map { place -> UInt16 in
                guard place + 1 < bytes.count else { return 0xFFFD }
                let one = UInt16(bytes[place])
                let two = UInt16(bytes[place + 1])
                return isBigEndian ? one << 8 | two : two << 8 | one
            }
            return String(decoding: units, as: UTF16.self)
        case .windows1252:
            let units = data.map { 128..<160 ~= $0 ? Self.windowsOnly[Int($0) - 128] : UInt16($0) }
            return String(decoding: units, as: UTF16.self)
        }
    }

    private static let windowsOnly: [UInt16] = [
        0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D,
        0x017D, 0x008F, 0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A,
        0x0153, 0x009D, 0x017E, 0x0178,
    ]
}
