/// The values of a `Digest` challenge (RFC 7616, 3.3).
struct DigestChallenge: Hashable, Sendable {
    let realm: ExactString
    /// The value that the server has made for this challenge. A later response may replace it.
    var nonce: ExactString
    let opaque: String?
    let hash: Hash
    /// A Boolean value that indicates whether the algorithm ends in `-sess`.
    let isSession: Bool
    /// The name of the algorithm as the server has sent it; nil if it has sent none.
    let algorithm: String?
    let protection: Protection
    /// A Boolean value that indicates whether only the nonce of the rejected request was too old.
    let isStale: Bool
    /// A Boolean value that indicates whether the name of the user is sent as a digest.
    let hashesUser: Bool
    /// The URIs that the credentials are for; empty for all of the server.
    let domain: [String]

    /// The parts of a request that the credentials protect.
    enum Protection: Hashable, Sendable {
        /// Method and URL, without a counter, as in RFC 2069.
        case legacy
        /// Method and URL: `auth`.
        case request
        /// Method, URL and body: `auth-int`.
        case body
        /// Method and URL, and the body if its bytes can be read before it is sent.
        case bodyIfPossible

        var coversBody: Bool { self == .body || self == .bodyIfPossible }
    }

    /// Returns nil if the challenge is of another scheme, lacks a value, or names an algorithm that is unknown.
    init?(_ challenge: Challenge) {
        guard challenge.isOf("Digest"), let realm = challenge.realm, let nonce = challenge["nonce"] else { return nil }
        algorithm = challenge["algorithm"]
        let name = algorithm?.uppercased() ?? Hash.md5.rawValue
        isSession = name.hasSuffix("-SESS")
        let plain = isSession ? String(name.dropLast(5)) : name
        guard let hash = Hash.ofDigests.first(where: { $0.rawValue.hasSameBytes(as: plain) }) else { return nil }
        self.hash = hash
        if let options = challenge["qop"] {
            let options = Set(FieldList.elements(of: options).map(\.lowercasedToken))
            switch (options.contains("auth"), options.contains("auth-int")) {
            case (true, true): protection = .bodyIfPossible
            case (true, false): protection = .request
            case (false, true): protection = .body
            case (false, false): return nil
            }
        } else {
            protection = .legacy
        }
        self.realm = ExactString(realm)
        self.nonce = ExactString(nonce)
        opaque = challenge["opaque"]
        isStale = challenge["stale"]?.isSameField(as: "true") ?? false
        hashesUser = challenge["userhash"]?.isSameField(as: "true") ?? false
        domain = challenge["domain"]?.split(separator: " ").map(String.init) ?? []
    }
}

extension Hash {
    /// The hash functions of `Digest`, the strongest first.
    static let ofDigests: [Hash] = [.sha512_256, .sha256, .md5]
}
