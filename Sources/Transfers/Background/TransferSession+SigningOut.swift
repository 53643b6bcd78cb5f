import Synchronization

/// The sign-outs of users who have background transfers.
extension TransferSession {
    /// The digests of users who have signed out, and have begun no transfer since.
    private static let signedOut = Mutex<Set<String>>([])

    /// Takes part in sign-outs from now on. Removes the records of users who have signed out before, and returns the others.
    func removeWhatIsLeft(in records: [TransferRecord]) -> [TransferRecord] {
        if let users = Features.bring(Transfers()) { Self.signedOut.withLock { $0.formUnion(users) } }
        let users = Self.signedOut.withLock { $0 }
        return records.filter { record in
            guard let owner = record.owner, users.contains(owner) else { return true }
            folder.forget(record.id)
            return false
        }
    }

    /// Notes that a call begins its transfer, unless a sign-out has ended the call.
    func enter(_ call: TransferCall) {
        guard let owner = call.owner else { return call.plan.client.parts.usedSessions.add(identifier) }
        Self.signedOut.withLock { users in
            if call.isWaiting { users.remove(owner) }
        }
    }

    /// Removes all that sessions have of a user, apart from the transfers of calls that have begun since, and from the files
    /// at their destinations.
    ///
    /// - Parameters:
    ///   - identity: The user. Transfers without a user are removed from the sessions that the client has used only.
    ///   - client: The client that signs out.
    fileprivate static func signOut(_ identity: Identity, of client: ClientParts) async {
        let owner = identity.digest
        if let owner { signedOut.withLock { users in _ = users.insert(owner) } }
        let used = client.usedSessions.all
        for (identifier, session) in all where owner != nil || used.contains(identifier) { await session.leave(owner) }
    }

    private func leave(_ owner: String?) async {
        await ready()
        state.withLock { state in
            state.resumeData = state.resumeData.filter { !$0.value.owner.hasSameBytes(as: owner) }
        }
        while drop({ $0.leaveNext(owner) }) {}
    }
}

extension TransferSession.State {
    /// Returns a record of a user that can be removed. Notes those that a thread is finishing, which removes them when it is
    /// done.
    fileprivate mutating func leaveNext(_ owner: String?) -> String? {
        let ids = unattended(of: owner).map(\.id)
        left.formUnion(ids.filter(busy.contains))
        return ids.first { !busy.contains($0) }
    }

    /// Returns the records of a user for which no call waits.
    fileprivate func unattended(of owner: String?) -> [TransferRecord] {
        records.values.filter { record in
            record.owner.hasSameBytes(as: owner) && !callers(of: record).contains(where: \.isWaiting)
        }
    }
}

/// The names of the sessions that calls without a user have used.
private final class UsedSessions: Sendable {
    private let names = Mutex<Set<String>>([])

    var all: Set<String> { names.withLock { $0 } }

    func add(_ name: String) {
        names.withLock { names in _ = names.insert(name) }
    }
}

extension ClientParts {
    /// The sessions that calls of the client have used.
    fileprivate var usedSessions: UsedSessions { value { UsedSessions() } }
}

/// Background transfers as a feature of all clients: those of a user go when the user signs out.
private struct Transfers: ClientFeature {
    func signOut(_ user: ClientUser) async throws {
        // A task of its own, because the caller's may be cancelled.
        await Task(executorPreference: IO.executor) {
            await TransferSession.signOut(user.identity, of: user.client)
        }
        .value
    }
}
