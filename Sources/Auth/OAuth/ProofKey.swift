/// The secret of a proof key for code exchange (RFC 7636), with which only the application that has requested a code can
/// redeem it.
struct ProofKey: Hashable, Sendable {
    /// The secret that is sent with the code: 43 characters.
    let verifier: String

    init(verifier: String) {
        self.verifier = verifier
    }

    init() {
        verifier = Self.random()
    }

    /// The digest of the secret, which is sent first: `code_challenge` of the method `S256`.
    var challenge: String { Self.text(of: SHA256.digest(verifier.utf8)) }

    static func random() -> String { text(of: .random(32)) }

    /// Encodes bytes in Base64 for URLs, without padding (RFC 4648, 5).
    static func text(of bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// Compares two secrets in a time that does not depend on the position of the first difference.
    static func isSame(_ one: String, _ other: String) -> Bool {
        let (one, other) = (Array(one.utf8), Array(other.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(into: UInt8(0)) { $0 |= $1.0 ^ $1.1 } == 0
    }
}

extension [UInt8] {
    /// Returns random bytes, by the cryptographic generator of the system.
    static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
