/// A value in the encoding of certificates: its kind, its contents, and all of its bytes.
struct DER {
    let kind: UInt8
    let contents: ArraySlice<UInt8>
    let whole: ArraySlice<UInt8>

    static let sequence: UInt8 = 0x30
    static let integer: UInt8 = 0x02
    /// The tag of a certificate's version.
    static let firstOptional: UInt8 = 0xa0

    /// Reads the value at the beginning of the bytes. Returns nil if there is no complete value.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        guard let kind = rest.popFirst(), kind & 0x1f != 0x1f, let short = rest.popFirst() else { return nil }
        var length = Int(short)
        if short & 0x80 != 0 {
            let count = Int(short & 0x7f)
            guard (1...4).contains(count), rest.count >= count else { return nil }
            length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(count)
        }
        guard rest.count >= length else { return nil }
        self.kind = kind
        contents = rest.prefix(length)
        whole = bytes[bytes.startIndex..<contents.endIndex]
    }

    /// The values inside a constructed value, or nil if the contents are malformed.
    var parts: [DER]? {
        var parts: [DER] = []
        var rest = contents
        while !rest.isEmpty {
            guard let part = DER(rest) else { return nil }
            parts.append(part)
            rest = rest[part.whole.endIndex...]
        }
        return parts
    }
}

extension DER {
    /// Returns the public key of a certificate, including its algorithm, or nil if the bytes are not a certificate.
    ///
    /// A certificate consists of the signed part, the algorithm of the signature, and the signature. The signed part
    /// begins with an optional version. Serial number, algorithm, issuer, validity and subject follow, then the key.
    static func publicKey(ofCertificate bytes: some Collection<UInt8>) -> ArraySlice<UInt8>? {
        let all = Array(bytes)[...]
        guard let certificate = DER(all), certificate.kind == sequence, certificate.whole.count == all.count,
            let outer = certificate.parts, outer.count == 3, outer[0].kind == sequence,
            var fields = outer[0].parts
        else { return nil }
        if fields.first?.kind == firstOptional { fields.removeFirst() }
        guard fields.count >= 6, fields[0].kind == integer, fields[1...5].allSatisfy({ $0.kind == sequence }) else {
            return nil
        }
        return fields[5].whole
    }
}
