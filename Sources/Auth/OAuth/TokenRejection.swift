/// The reason why a server has rejected a request with a bearer token (RFC 6750, 3).
enum TokenRejection: Hashable, Sendable {
    /// The token is expired, revoked or unknown: a new one may help.
    case invalidToken
    /// The token is valid, and does not permit the request. A new token of the same scopes would not either.
    case insufficientScope([String])

    /// Returns the reason of a response; nil if it does not reject the token.
    static func of(_ response: HTTPResponse) -> TokenRejection? {
        guard response.status == .unauthorized || response.status == .forbidden else { return nil }
        let parameters = bearerParameters(response.headers.all("WWW-Authenticate"))
        if parameters["error"] == "insufficient_scope" {
            return .insufficientScope(parameters["scope"]?.split(separator: " ").map(String.init) ?? [])
        }
        return response.status == .unauthorized ? .invalidToken : nil
    }

    /// Returns the parameters of the challenges of the scheme `Bearer`. Malformed parts are left out.
    private static func bearerParameters(_ values: [String]) -> [String: String] {
        var parameters: [String: String] = [:]
        var isBearer = false
        for element in FieldList.elements(of: values) {
            // `Scheme`, `Scheme name=value` or `name=value`
            var rest = element
            let word = element.prefix { $0 != " " && $0 != "\t" && $0 != "=" }
            let following = element[word.endIndex...].withoutBlanks
            if following.first != "=" {
                isBearer = String(word).isSameField(as: "Bearer")
                rest = following
            }
            guard isBearer, let equals = rest.firstIndex(of: "=") else { continue }
            let name = rest[..<equals].withoutBlanks.lowercasedToken
            guard parameters[name] == nil else { continue }
            parameters[name] = rest[rest.index(after: equals)...].withoutBlanks.unquoted
        }
        return parameters
    }
}
