/// Authenticators for the URLs of several services. The first service whose pattern matches a URL is responsible.
///
/// ```swift
/// let client = Client(baseURL: url) {
///     $0.authenticator = .services([
///         "https://api.example.com/admin/*": admin,
///         "https://api.example.com": session,
///         "https://*.files.example.com": .bearer(key),
///     ])
/// }
/// ```
///
/// Requests to other URLs get no credentials, also those to the base URL of the client. The user of the calls is that of the
/// first authenticator with an identity. A sign-out concerns all of them.
public struct ServiceAuthenticators: Authenticator {
    private let services: [(pattern: ServicePattern, authenticator: any Authenticator)]

    /// Creates authenticators of services, in the order in which they are compared.
    public init(_ services: KeyValuePairs<ServicePattern, any Authenticator>) {
        self.services = services.map { ($0.key, $0.value) }
    }

    var all: [any Authenticator] { services.map(\.authenticator) }

    public func authenticator(for url: URL, isTrusted: Bool) -> (any Authenticator)? {
        services.first { $0.pattern.matches(url) }?.authenticator.authenticator(for: url, isTrusted: true)
    }

    /// Not called, because ``authenticator(for:isTrusted:)`` returns another authenticator.
    public func authorize(_ request: HTTPRequest, context: AuthenticationContext) -> Authorization { .ready(request) }

    public var identity: String? {
        let identities = services.compactMap(\.authenticator.identity)
        return identities.isEmpty ? nil : identities.joined(separator: " ")
    }

    public var problem: String? {
        services.lazy.compactMap { $0.pattern.problem ?? $0.authenticator.problem }.first
    }

    public func signOut(context: AuthenticationContext) async throws {
        var problem: (any Error)?
        for service in services {
            do { try await service.authenticator.signOut(context: context) } catch { problem = problem ?? error }
        }
        if let problem { throw problem }
    }
}

extension Authenticator where Self == ServiceAuthenticators {
    /// Authenticators for the URLs of several services. The first one whose pattern matches is responsible.
    public static func services(_ services: KeyValuePairs<ServicePattern, any Authenticator>) -> Self {
        ServiceAuthenticators(services)
    }
}
