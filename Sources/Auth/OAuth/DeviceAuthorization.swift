/// The code that a user enters on another device to sign in, and the address to enter it at (RFC 8628).
public struct DeviceAuthorization: Hashable, Sendable {
    /// The code that the user enters.
    public let userCode: String
    /// The page at which the user enters it.
    public let verificationURL: URL
    /// The page with the code in its URL, for a QR code; nil if the server has none.
    public let completeVerificationURL: URL?
    /// The time for which the code is valid.
    public let lifetime: Duration
    /// The wait between two requests for the token.
    let interval: Duration
    let deviceCode: String
}

extension DeviceAuthorization: DescribedOnly {
    /// The address, without the codes.
    public var description: String { "sign-in at \(Redaction.standard.redact(verificationURL))" }
}

/// The endpoint that issues codes for devices.
struct DeviceEndpoint: Sendable {
    let url: URL
    let scopes: [String]
    let show: @Sendable (DeviceAuthorization) async -> Void
}

extension TokenResponse {
    /// Returns the codes of a response. Throws the error of the server, or one that says what is wrong.
    func deviceAuthorization(_ redaction: Redaction) throws -> DeviceAuthorization {
        let fields = try success(with: "device_code", redaction: redaction)
        // Some servers use the name of a draft.
        let page = (fields["verification_uri"] ?? fields["verification_url"])?.text
        guard let code = fields["user_code"]?.text, !code.isEmpty, let page = page.flatMap(Self.page) else {
            throw bad("has no user code, or no web page to enter it at")
        }
        // It is shown to a user, who types it.
        guard code.isPrintable, code.count <= 80 else {
            throw bad("has a user code with control characters, or one that is too long to enter")
        }
        return DeviceAuthorization(
            userCode: code, verificationURL: page,
            completeVerificationURL: fields["verification_uri_complete"]?.text.flatMap(Self.page),
            lifetime: .seconds(fields["expires_in"]?.seconds ?? 600),
            interval: .seconds(min(max(fields["interval"]?.seconds ?? 5, 1), 3600)),
            deviceCode: fields["device_code"]?.text ?? "")
    }

    /// Returns the URL of a web page. Other URLs are not shown to the user, and neither is one that begins with a user, which could
    /// be taken for its host: `https://example.com@other.example`.
    private static func page(_ text: String) -> URL? {
        guard let url = URL(string: text), let scheme = url.scheme, url.host != nil, url.user == nil,
            url.password == nil
        else { return nil }
        return scheme.isSameField(as: "https") || scheme.isSameField(as: "http") ? url : nil
    }
}
