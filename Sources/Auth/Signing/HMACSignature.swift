/// Signs requests with a key that the server has too: HMAC (RFC 2104).
///
/// Four lines are signed: the method, the path with the query, the seconds since 1970, and the SHA-256 of the body in
/// hexadecimal. The header `X-Signature-Date` has the seconds, `X-Signature-Key` the name of the key, and `X-Signature` the
/// signature in hexadecimal. For a server that expects another form, write a ``Signer``, or pass a closure that makes the
/// text.
public struct HMACSignature: Signer, DescribedOnly {
    /// The hash function of the signature.
    public enum Algorithm: Hashable, Sendable {
        case sha1, sha256, sha512

        var hash: Hash {
            switch self {
            case .sha1: .sha1
            case .sha256: .sha256
            case .sha512: .sha512
            }
        }
    }

    /// The values that a signature covers.
    public struct Content: Sendable {
        /// The request, without the signature.
        public let request: HTTPRequest
        /// The path and the query, as they are sent.
        public let target: String
        /// The time of the signature.
        public let date: Date
        /// The SHA-256 of the body in hexadecimal.
        public let bodyDigest: String

        /// The seconds since 1970.
        public var seconds: Int64 { Int64(date.timeIntervalSince1970.rounded(.down)) }
    }

    private let key: Data
    private let keyID: String?
    private let algorithm: Algorithm
    private let text: @Sendable (Content) -> String

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - key: The secret, which is never sent.
    ///   - keyID: The name of the key, for a server with several of them.
    ///   - algorithm: The hash function of the signature.
    ///   - text: Returns the text to sign; nil for the four lines.
    public init(
        key: Data, keyID: String? = nil, algorithm: Algorithm = .sha256,
        text: (@Sendable (Content) -> String)? = nil
    ) {
        self.key = key
        self.keyID = keyID
        self.algorithm = algorithm
        self.text =
            text ?? { content in
                "\(content.request.method)\n\(content.target)\n\(content.seconds)\n\(content.bodyDigest)"
            }
    }

    public func signed(_ request: HTTPRequest, at date: Date) async throws -> HTTPRequest {
        var request = request
        for name in ["X-Signature", "X-Signature-Date", "X-Signature-Key"] { request.headers.remove(name) }
        guard let digest = try await request.body.digest(.sha256) else {
            throw RequestError.unsignable(request, "send data or a file")
        }
        let content = Content(
            request: request, target: request.url.requestTarget, date: date, bodyDigest: digest.hexadecimal)
        let signature = try HMAC.code(text(content).utf8, key: key, algorithm.hash).hexadecimal
        request.headers["X-Signature-Date"] = "\(content.seconds)"
        request.headers["X-Signature-Key"] = keyID
        request.headers["X-Signature"] = signature
        return request
    }

    public var description: String { "HMAC signature" }
}
