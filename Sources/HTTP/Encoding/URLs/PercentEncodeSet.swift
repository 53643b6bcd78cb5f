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
