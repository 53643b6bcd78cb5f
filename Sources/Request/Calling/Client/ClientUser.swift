import TangoCache

/// The parts of a client that have something of its users. They are an object of their own, because weak references to a
/// client would slow its calls.
final class ClientParts: Sendable {
    let configuration: Client.Configuration
    let identity: IdentitySource
    let registry: CallRegistry
    let changes: ChangeLog
    let sharedStore: SharedStore?
    let number: UInt64
    /// The folders to which calls of the client have downloaded.
    let downloadFolders = DownloadFolders()

    init(
        _ configuration: Client.Configuration, _ identity: IdentitySource, _ registry: CallRegistry,
        _ changes: ChangeLog, _ sharedStore: SharedStore?, number: UInt64
    ) {
        self.configuration = configuration
        self.identity = identity
        self.registry = registry
        self.changes = changes
        self.sharedStore = sharedStore
        self.number = number
        LiveClients.add(self)
    }

    deinit {
        LiveClients.remove(self)
    }

    /// The place of everything that belongs to an identity.
    ///
    /// Clients without a store share the log of their transport. A change of a URL concerns all of them. Identities and
    /// tags are separate for each client.
    func place(of identity: Identity) -> ChangeLog.Place {
        sharedStore == nil ? .identity(CacheKey("\(number) \(identity.scope)")) : identity.place
    }

    func removeCachedResponses(of identity: Identity) async throws {
        changes.note([place(of: identity)])
        guard let sharedStore else { return }
        // A task of its own, because the caller's may be cancelled: the screen may close when the user signs out.
        try await Task {
            try await ResponseStore(shared: sharedStore, identity: identity).shared.remove(.tag(identity.tag))
        }
        .value
    }
}

/// A user of a client whose session ends. Each feature that has something of a user takes part here.
struct ClientUser: Sendable {
    let client: ClientParts
    let identity: Identity

    /// Returns the users with the name that an authenticator or a cookie jar has made, one for each client.
    static func all(named name: String) -> [ClientUser] {
        LiveClients.all.compactMap { client in
            guard client.configuration.identity == nil else { return nil }
            let identity = client.identity.current
            return identity.includes(name) ? ClientUser(client: client, identity: identity) : nil
        }
    }

    /// Returns the users of an authenticator whom the configuration of their client names, one for each client.
    static func all(ofConfigurationsWith authenticator: any Authenticator) -> [ClientUser] {
        let sources = authenticator.tokenAuthenticators
        return LiveClients.all.compactMap { client in
            guard client.configuration.identity != nil, let own = client.configuration.authenticator,
                own.tokenAuthenticators.contains(where: { one in sources.contains { $0 === one } })
            else { return nil }
            return ClientUser(client: client, identity: client.identity.current)
        }
    }

    /// Removes the cookies in memory at once, so that no request of the next user has them.
    func removeCookies() {
        client.configuration.cookies.jar?.removeAll()
    }

    /// Ends the calls and removes the cookies in memory at once.
    func leave() {
        endCalls(.signedOut)
        removeCookies()
    }

    /// Removes everything else, and returns the failures.
    static func end(_ users: [ClientUser], _ reason: RequestError) async -> [any Error] {
        var failures: [any Error] = []
        for user in users {
            for part in user.parts(reason) {
                do { try await part() } catch { failures.append(error) }
            }
        }
        return failures
    }

    /// The features that have something of a user, one a line. A later one does its part also if an earlier one fails.
    private func parts(_ reason: RequestError) -> [() async throws -> Void] {
        [
            // Calls, and the transfers that they have joined: a transfer ends with its last call.
            { endCalls(reason) },
            // The cookies of the file, also if they have left the memory already.
            { try await client.configuration.cookies.remove() },
            // The bytes of downloads that have not ended.
            { try await client.removePartialFiles(of: identity) },
            // Responses, in memory and on disk.
            { try await client.removeCachedResponses(of: identity) },
        ]
    }

    /// Ends the calls of the user. Without a name, only the calls of this client certainly belong to the user.
    private func endCalls(_ reason: RequestError) {
        client.changes.note([client.place(of: identity)])
        let calls = identity.name == nil ? client.registry.all : LiveClients.all.flatMap(\.registry.all)
        for call in calls where call.plan.identity.isNamed(identity.name) {
            call.end(call.complete(reason), as: .failure)
        }
    }
}

extension Authenticator {
    /// The authenticators with tokens: the authenticator itself, or those of its services.
    fileprivate var tokenAuthenticators: [TokenAuthenticator] {
        if let services = self as? ServiceAuthenticators { return services.all.flatMap { $0.tokenAuthenticators } }
        return (self as? TokenAuthenticator).map { [$0] } ?? []
    }
}
