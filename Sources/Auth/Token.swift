/// An access token, with the values that a server has issued it with.
public struct Token: Codable, Hashable, Sendable {
    /// The text that requests are sent with.
    public var value: String
    /// The scheme of the `Authorization` header: mostly `Bearer`.
    public var scheme: String
    /// The token that a new access token is requested with.
    public var refreshToken: String?
    /// The time after which servers reject the token; nil if it is unknown.
    public var expires: Date?
    /// The scopes of the token; nil if the server named none, so that they are the requested ones.
    public var scopes: [String]?
    /// Further values of the server's response, such as `id_token`.
    public var values: [String: String]

    /// Creates a token.
    public init(
        _ value: String, scheme: String = "Bearer", refreshToken: String? = nil, expires: Date? = nil,
        scopes: [String]? = nil, values: [String: String] = [:]
    ) {
        self.value = value
        self.scheme = scheme
        self.refreshToken = refreshToken
        self.expires = expires
        self.scopes = scopes
        self.values = values
    }
}

extension Token: DescribedOnly {
    /// The properties that are not secret.
    public var description: String {
        let expiry = expires.map { ", expires \($0)" } ?? ""
        return "\(scheme) token\(refreshToken == nil ? "" : " with a refresh token")\(expiry)"
    }
}
