/// A value in the form that certificates are written in: its kind, its contents, and all of its bytes.
struct DER {
    let kind: UInt8
    let contents: ArraySlice<UInt8>
    let whole: ArraySlice<UInt8>

    static let sequence: UInt8 = 0x30
    static let integer: UInt8 = 0x02
    /// What stands before the version of a certificate.
    static let firstOptional: UInt8 = 0xa0

    /// The value at the beginning of these bytes; nil where they are no whole value.
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

    /// The values in a value that has some; nil where there is something else among them.
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
    /// The key in a certificate, with what says of which kind it is; nil where the bytes are no certificate.
    ///
    /// A certificate is what is signed, how, and the signature. What is signed begins with a version, which may be missing,
    /// and has before the key: a number, how it is signed, by whom, for how long, and for whom.
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
