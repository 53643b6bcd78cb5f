/// A user of a client whose session ends. Each feature that has something of a user takes part here.
package struct ClientUser: Sendable {
    package let client: ClientParts
    package let identity: Identity

    /// Returns the users with the name that an authenticator or a cookie jar has made: one for each client, and one for each
    /// of its provisional identities.
    package static func all(named name: String) -> [ClientUser] {
        LiveClients.all.flatMap { client -> [ClientUser] in
            guard client.configuration.identity == nil else { return [] }
            let identities = client.identity.all
            return identities[0].includes(name) ? identities.map { ClientUser(client: client, identity: $0) } : []
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
