extension UInt8 {
    /// A Boolean value that indicates whether a method or a field name may contain the character: `tchar` of RFC 9110,
    /// 5.6.2.
    @inline(__always)
    package var isTokenCharacter: Bool {
        // The table has one bit for each character below 128.
        let bits: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        return self < 128 && (bits >> UInt64(self & 63)) & 1 == 1
    }

    /// The lower-case form of an ASCII letter. Other bytes stay the same.
    @inline(__always)
    package var lowercasedASCII: UInt8 {
        self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
    }
}
