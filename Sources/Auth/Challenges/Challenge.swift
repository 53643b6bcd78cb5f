/// A challenge of a server or a proxy: a scheme by which the client can show who its user is (RFC 9110, 11.3).
///
/// An ``Authenticator`` of your own reads the challenges of a rejection with `HTTPResponse.challenges`.
public struct Challenge: Sendable, Hashable {
    /// A parameter, such as the name of the realm.
    struct Parameter: Sendable, Hashable {
        let name: String
        let value: ExactString
    }

    /// The name of the scheme as it was sent, such as `Digest`. Compare it without regard to case.
    public let scheme: String
    /// The text after the scheme, for the schemes that have no parameters.
    public let token: String?
    var parameters: [Parameter]

    init(scheme: String, token: String? = nil, parameters: [Parameter] = []) {
        self.scheme = scheme
        self.token = token
        self.parameters = parameters
    }

    /// Returns the value of a parameter, without quotes; nil if there is none. The case of the name does not matter.
    public subscript(_ name: String) -> String? {
        parameters.first { $0.name.isSameField(as: name) }?.value.text
    }

    /// The part of the server that the credentials are for.
    public var realm: String? { self["realm"] }

    func isOf(_ scheme: String) -> Bool { self.scheme.isSameField(as: scheme) }
}

extension HTTPResponse {
    /// The challenges of the server, in order. Malformed ones are left out.
    public var challenges: [Challenge] { Challenge.all(in: headers.all("WWW-Authenticate")) }

    /// The challenges of a proxy, in order. Malformed ones are left out.
    public var proxyChallenges: [Challenge] { Challenge.all(in: headers.all("Proxy-Authenticate")) }
}
