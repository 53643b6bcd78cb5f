extension Headers {
    /// Returns the `Authorization` header of a user with a password: `Basic` (RFC 7617), in UTF-8.
    ///
    /// ```swift
    /// let client = Client(baseURL: URL(string: "https://api.example.com")) {
    ///     $0.headers = .basicAuthorization(user: "ada", password: "secret")
    /// }
    /// ```
    ///
    /// If these are headers of a client, they are sent to its own origins only: see
    /// ``Client/Configuration/trustedOrigins``.
    ///
    /// The name of the user must not have a colon, because the password begins after the first one.
    public static func basicAuthorization(user: String, password: String) -> Headers {
        ["Authorization": "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"]
    }

    /// Returns the `Authorization` header of a token: `Bearer` (RFC 6750).
    public static func bearerAuthorization(token: String) -> Headers {
        ["Authorization": "Bearer \(token)"]
    }
}
