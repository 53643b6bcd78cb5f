/// The bytes that are written as `%XX` in one part of a URL: the percent-encode sets of the WHATWG URL standard.
///
/// Every set holds the control characters and all that is not ASCII. Which of the other characters it holds is a table
/// of 128 bits, so that looking a byte up is a shift.
struct PercentEncodeSet: Hashable, Sendable {
    private let low: UInt64
    private let high: UInt64

    private init(low: UInt64, high: UInt64) {
        self.low = low
        self.high = high
    }

    /// A set with all that another holds, and these characters too.
    ///
    /// Characters that are not ASCII are in every set anyway.
    init(_ base: PercentEncodeSet = .control, adding characters: String) {
        var low = base.low
        var high = base.high
        for byte in characters.utf8 where byte < 0x80 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte & 63) }
        }
        self.init(low: low, high: high)
    }

    /// Whether a byte is to be written as `%XX`.
    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (byte < 64 ? low : high) >> UInt64(byte & 63) & 1 == 1
    }

    /// Control characters and what is not ASCII: what no part of a URL can hold.
    static let control = PercentEncodeSet(low: 0xffff_ffff, high: 1 << 63)
    /// What a fragment cannot hold.
    static let fragment = PercentEncodeSet(adding: " \"<>`")
    /// What a query cannot hold. The delimiters of names and values, `&`, `=` and `+`, are not in it: see
    /// ``component``.
    static let query = PercentEncodeSet(adding: " \"#<>")
    /// What a path cannot hold. `/` and `%` are not in it.
    static let path = PercentEncodeSet(.query, adding: "?^`{}")
    /// What a user name or a password in a URL cannot hold.
    static let userinfo = PercentEncodeSet(.path, adding: "/:;=@[\\]|")
    /// What would have a meaning anywhere in a URL: what JavaScript's `encodeURIComponent` encodes, and `%` with it.
    static let component = PercentEncodeSet(.userinfo, adding: "$%&+,")
    /// What a name or a value of an `application/x-www-form-urlencoded` body cannot hold.
    static let form = PercentEncodeSet(.component, adding: "!'()~")
}

extension PercentEncodeSet {
    /// ``path``, and what only RFC 3986 forbids there. `Foundation.URL` would encode it after us.
    static let strictPath = PercentEncodeSet(.path, adding: "[\\]|")
    /// ``query``, and what only RFC 3986 forbids there.
    static let strictQuery = PercentEncodeSet(.query, adding: "[\\]^`{|}")
    /// ``fragment``, and what only RFC 3986 forbids there.
    static let strictFragment = PercentEncodeSet(.fragment, adding: "#[\\]^{|}")
    /// What user name and password cannot hold, but for the colon between them.
    static let strictUserinfo = PercentEncodeSet(.strictPath, adding: "/@")
    /// What one segment of a path cannot hold.
    static let segment = PercentEncodeSet(.strictPath, adding: "/%")
}
