extension Client.Configuration {
    /// The object that adds the credentials of the user to requests; nil for none.
    ///
    /// Its credentials are sent to the origin of `baseURL` and to `trustedOrigins` only, unless it names services of its own.
    /// Requests that have an `Authorization` header are sent as they are.
    public var authenticator: (any Authenticator)? {
        get { features[Authentication.self]?.authenticator }
        set { features[Authentication.self] = newValue.map(Authentication.init) }
    }
}

/// The feature of clients that have an authenticator.
struct Authentication: ClientFeature {
    let authenticator: any Authenticator

    /// Only what is sent needs credentials, so the stage stands below the cache.
    func stages(in client: FeatureContext) -> [PlacedStage] {
        let stages = [PlacedStage(AuthenticationStage(authenticator, originRule: client.originRule), .belowCache)]
        guard authenticator.members.contains(where: { $0 is ChallengeAuthenticator }) else { return stages }
        return stages + [PlacedStage(SingleUseStage(), .aboveTransport)]
    }

    var user: FeatureUser { .signedIn { [authenticator] in authenticator.identity } }

    func presentName(of name: String) -> String {
        authenticator.tokenAuthenticators.reduce(name) { $1.presentName(of: $0) }
    }

    var secrets: Set<KnownSecrets> { authenticator.knownSecrets }

    func usersElsewhere() -> [ClientUser] { authenticator.usersOfConfigurations() }

    func endSession(of client: Client) async throws {
        try await authenticator.signOut(context: AuthenticationContext(client: client))
    }

    var setting: String? { "authenticator: \(type(of: authenticator))" }
}

extension Authenticator {
    fileprivate var tokenAuthenticators: [TokenAuthenticator] { members.compactMap { $0 as? TokenAuthenticator } }

    /// Returns the users of the authenticator whom the configuration of their client names, one for each client.
    func usersOfConfigurations() -> [ClientUser] {
        let sources = tokenAuthenticators
        return ClientUser.all { configuration in
            configuration.authenticator?.tokenAuthenticators.contains { one in sources.contains { $0 === one } }
                ?? false
        }
    }
}
