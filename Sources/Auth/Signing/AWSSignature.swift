/// The keys of a user or a role of Amazon Web Services. No description shows the secrets.
public struct AWSCredentials: Hashable, Sendable, DescribedOnly {
    /// The name of the key, which is sent.
    public var keyID: String
    /// The key, which is never sent.
    public var secret: String
    /// The token of temporary credentials.
    public var sessionToken: String?

    /// Creates credentials.
    public init(keyID: String, secret: String, sessionToken: String? = nil) {
        self.keyID = keyID
        self.secret = secret
        self.sessionToken = sessionToken
    }

    public var description: String { "AWS credentials \(keyID)" }
}

/// Signs requests for Amazon Web Services, and for servers that are compatible with them: Signature Version 4.
///
/// ```swift
/// let signature = AWSSignature(
///     credentials: AWSCredentials(keyID: keyID, secret: secret), region: "eu-central-1", service: "s3")
/// let client = Client(baseURL: URL(string: "https://photos.s3.eu-central-1.amazonaws.com")) {
///     $0.attemptInterceptors = [SigningInterceptor(signature)]
/// }
/// ```
///
/// It signs the method, the URL, the body, and the headers of the request that are not changed on the way. The server rejects
/// a signature that is older than a few minutes: see `Client.Configuration.now` if the clock of the device is wrong.
public struct AWSSignature: Signer, DescribedOnly {
    /// The part of the body that the signature covers.
    public enum Payload: Hashable, Sendable {
        /// All bytes. The body must be data or a file.
        case signed
        /// None, for streams. Use it over `https` only.
        case unsigned
    }

    private let credentials: @Sendable () async throws -> AWSCredentials
    private let region: String
    private let service: String
    private let payload: Payload
    private let signsSentPath: Bool

    /// Creates a signer with credentials that do not change.
    ///
    /// - Parameters:
    ///   - credentials: The keys of the user.
    ///   - region: The region of the server, such as `us-east-1`.
    ///   - service: The name of the service in signatures, such as `s3` or `execute-api`.
    ///   - payload: The rule by which bodies are signed.
    public init(credentials: AWSCredentials, region: String, service: String, payload: Payload = .signed) {
        self.init(region: region, service: service, payload: payload) { credentials }
    }

    /// Creates a signer that gets credentials for each attempt, such as temporary ones. The closure should cache them.
    public init(
        region: String, service: String, payload: Payload = .signed,
        credentials: @escaping @Sendable () async throws -> AWSCredentials
    ) {
        self.credentials = credentials
        self.region = region
        self.service = service
        self.payload = payload
        signsSentPath = service.hasSameBytes(as: "s3")
    }

    public func signed(_ request: HTTPRequest, at date: Date) async throws -> HTTPRequest {
        let keys = try await credentials()
        var request = request
        for name in ["Authorization", "X-Amz-Date", "X-Amz-Security-Token", "X-Amz-Content-Sha256"] {
            request.headers.remove(name)
        }
        let digest: String
        switch payload {
        case .unsigned: digest = "UNSIGNED-PAYLOAD"
        case .signed:
            guard let bytes = try await request.body.digest(.sha256) else {
                throw RequestError.unsignable(request, "send data or a file, or use the payload .unsigned")
            }
            digest = bytes.hexadecimal
        }
        let time = try AWSTime(date, request)
        request.headers["X-Amz-Date"] = time.text
        if signsSentPath || payload == .unsigned { request.headers["X-Amz-Content-Sha256"] = digest }
        request.headers["X-Amz-Security-Token"] = keys.sessionToken

        let canonical = CanonicalRequest(request, payload: digest, signsSentPath: signsSentPath)
        let scope = "\(time.day)/\(region)/\(service)/aws4_request"
        let text = try "AWS4-HMAC-SHA256\n\(time.text)\n\(scope)\n\(Hash.sha256.hex(canonical.text.utf8))"
        var key = Array("AWS4\(keys.secret)".utf8)
        for part in [time.day, region, service, "aws4_request"] { key = try HMAC.code(part.utf8, key: key) }
        let signature = try HMAC.code(text.utf8, key: key).hexadecimal
        request.headers["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(keys.keyID)/\(scope), SignedHeaders=\(canonical.names), Signature=\(signature)"
        return request
    }

    public var description: String { "AWS signature for \(service) in \(region)" }
}

/// A time as signatures have it: `20150830T123600Z`.
struct AWSTime {
    let text: String
    var day: String { String(text.prefix(8)) }

    init(_ date: Date, _ request: HTTPRequest) throws(RequestError) {
        guard let milliseconds = ISO8601.milliseconds(of: date) else {
            throw RequestError(
                .notEncodable, phase: .prepare,
                detail: "the time of day is outside the years 1 to 9999: check `now` of the client", request: request)
        }
        let seconds = milliseconds.quotientAndRemainder(dividingBy: 1000).quotient
        text = ISO8601.text(milliseconds: seconds * 1000).filter { $0 != "-" && $0 != ":" }
    }
}
