/// The credentials for a `Digest` challenge (RFC 7616, 3.4): a pure function of its values.
struct DigestCredentials {
    let challenge: DigestChallenge
    let user: String
    let password: String
    let method: String
    /// The path and the query, as they are sent.
    let target: String
    /// The digest of the body; nil if the credentials do not protect it.
    var bodyDigest: String?
    /// The number of requests with this nonce, this one included.
    let count: UInt32
    let clientNonce: String

    /// Returns the value of `Authorization`, or of `Proxy-Authorization`.
    func header() throws(MissingHash) -> String {
        let hash = challenge.hash
        let realm = challenge.realm.text
        let nonce = challenge.nonce.text
        var secret = try hash.hex("\(user):\(realm):\(password)".utf8)
        if challenge.isSession { secret = try hash.hex("\(secret):\(nonce):\(clientNonce)".utf8) }
        let number = String(count, radix: 16)
        let counter = String(repeating: "0", count: max(8 - number.utf8.count, 0)) + number
        let isLegacy = challenge.protection == .legacy
        let protection = bodyDigest == nil ? "auth" : "auth-int"
        let message = try hash.hex("\(method):\(target)\(bodyDigest.map { ":\($0)" } ?? "")".utf8)
        let response =
            isLegacy
            ? try hash.hex("\(secret):\(nonce):\(message)".utf8)
            : try hash.hex("\(secret):\(nonce):\(counter):\(clientNonce):\(protection):\(message)".utf8)

        var fields = [try userField(hash, realm), "realm=\(realm.quotedText)", "nonce=\(nonce.quotedText)"]
        fields.append("uri=\(target.quotedText)")
        fields.append("response=\"\(response)\"")
        if let algorithm = challenge.algorithm { fields.append("algorithm=\(algorithm)") }
        if let opaque = challenge.opaque { fields.append("opaque=\(opaque.quotedText)") }
        if !isLegacy { fields += ["qop=\(protection)", "nc=\(counter)"] }
        if !isLegacy || challenge.isSession { fields.append("cnonce=\(clientNonce.quotedText)") }
        if challenge.hashesUser { fields.append("userhash=true") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// A name that is not ASCII is sent as `username*`, in UTF-8 (RFC 8187).
    private func userField(_ hash: Hash, _ realm: String) throws(MissingHash) -> String {
        if challenge.hashesUser { return "username=\"\(try hash.hex("\(user):\(realm)".utf8))\"" }
        guard user.utf8.contains(where: { $0 >= 0x80 }) else { return "username=\(user.quotedText)" }
        return "username*=UTF-8''\(user.utf8.map(\.percentEncoded).joined())"
    }
}

extension String {
    /// The text as a quoted string (RFC 9110, 5.6.4).
    fileprivate var quotedText: String { "\"\(escaping(["\\": "\\\\", "\"": "\\\""]))\"" }
}

extension URL {
    /// The path and the query as they are sent in the first line of a request.
    var requestTarget: String {
        let parts = URLParts(absoluteString[...])
        return (parts.path.isEmpty ? "/" : String(parts.path)) + (parts.query.map { "?\($0)" } ?? "")
    }
}
