import Synchronization

/// The parts of a client that have something of its users. They are an object of their own, because weak references to a
/// client would slow its calls.
package final class ClientParts: Sendable {
    let configuration: Client.Configuration
    let identity: IdentitySource
    let registry: CallRegistry
    let changes: ChangeLog
    let sharedStore: SharedStore?
    let number: UInt64
    private let values = Mutex(TypedValues())

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

    /// Returns what a feature notes about the client, made at the first use.
    package func value<Value: Sendable>(make: () -> Value) -> Value {
        values.withLock { values in
            if let value = values[Value.self] { return value }
            let value = make()
            values[Value.self] = value
            return value
        }
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
            try await sharedStore.removeTraces()
        }
        .value
    }
}

/// A user of a client whose session ends. Each feature that has something of a user takes part here.
package struct ClientUser: Sendable {
    package let client: ClientParts
    package let identity: Identity

    /// Returns the users with the name that an authenticator or a cookie jar has made, one for each client.
    package static func all(named name: String) -> [ClientUser] {
        LiveClients.all.compactMap { client in
            guard client.configuration.identity == nil else { return nil }
            let identity = client.identity.current
            return identity.includes(name) ? ClientUser(client: client, identity: identity) : nil
        }
    }

    /// Returns the users whom the configuration of their client names, one for each client that a condition holds for.
    package static func all(ofConfigurationsWhere isTheirs: (Client.Configuration) -> Bool) -> [ClientUser] {
        LiveClients.all.compactMap { client in
            guard client.configuration.identity != nil, isTheirs(client.configuration) else { return nil }
            return ClientUser(client: client, identity: client.identity.current)
        }
    }

    /// Lets the features forget at once what no request of the next user may have.
    package func leaveFeatures() {
        for feature in client.configuration.features.all { feature.leave() }
    }

    /// Ends the calls, and lets the features forget at once.
    package func leave() {
        endCalls(.signedOut)
        leaveFeatures()
    }

    /// Removes everything else, and returns the failures.
    package static func end(_ users: [ClientUser], _ reason: RequestError) async -> [any Error] {
        var failures: [any Error] = []
        for user in users { await user.end(reason, &failures) }
        return failures
    }

    /// Removes what the client has of the user. A later part is removed also if an earlier one fails.
    private func end(_ reason: RequestError, _ failures: inout [any Error]) async {
        // Calls, and the transfers that they have joined: a transfer ends with its last call.
        endCalls(reason)
        // Responses, in memory and on disk.
        do { try await client.removeCachedResponses(of: identity) } catch { failures.append(error) }
        for feature in client.configuration.features.all + Features.brought(toTheSignOutOf: identity) {
            do { try await feature.signOut(self) } catch { failures.append(error) }
        }
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
