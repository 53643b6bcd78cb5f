import Synchronization

/// Changes of the user and of the token, by the application and after a rejection. They take place one after another.
///
/// A change forgets the user at once, and then waits for the store. No token is requested between the two, because the
/// request would find the old entry in the store.
extension TokenAuthenticator {
    /// A change that has begun.
    struct Change: Sendable {
        /// The user whom the change is for. If it is another one by now, a later change has superseded this one.
        let identity: String
        /// The token that was forgotten.
        let old: Token?
        /// A Boolean value that indicates whether the store had that token.
        let wasStored: Bool
        /// A Boolean value that indicates whether the last save of that token succeeded.
        let wasSaved: Bool
        /// The token that was removed from the store. It is newer than the forgotten one if another process has renewed it.
        let removed = Removed()
        /// The users of clients who were signed out.
        let users: [ClientUser]
        /// The calls that waited for a token of the user who was forgotten.
        let waiters: [Waiter]

        /// A token that becomes known while the change takes place.
        final class Removed: Sendable {
            private let value = Mutex<Token?>(nil)

            var token: Token? { value.withLock(\.self) }

            func take(_ token: Token) {
                value.withLock { $0 = token }
            }
        }

        func fail(with error: RequestError) {
            for waiter in waiters { waiter.continuation.resume(throwing: error) }
        }
    }

    func replace(_ token: Token, isOtherUser: Bool) async throws {
        secrets.add(token.secrets)
        let (_, result) = await change(isOtherUser ? .replaced : nil) { [self] change in
            let stored = StoredToken(token: token, identity: change.identity)
            let saved = await Result(catching: { try await save(stored, of: change) })
            let failures = await ClientUser.end(change.users, .signedOut)
            let isSaved = (try? saved.get()) != nil
            try state.withLock { state in
                guard state.identity.hasSameBytes(as: change.identity) else { throw RequestError.superseded }
                state.take(token, issued: nil, isSaved: isSaved)
            }
            resumeReady()
            try saved.get()
            try failures.check()
        }
        try result?.get()
    }

    /// Saves the token of a change, unless a later change has superseded it.
    private func save(_ stored: StoredToken, of change: Change) async throws {
        try await store?.exclusively { [self, store] in
            guard state.withLock({ $0.identity.hasSameBytes(as: change.identity) }) else {
                throw RequestError.superseded
            }
            try await store?.save(stored)
            state.withLock { $0.noteSaved(stored) }
        }
    }

    public func signOut(context: AuthenticationContext) async throws {
        // First what makes the token useless here, also if the process ends. Then what takes time.
        let (change, removed) = await change(.requested) { [self] change in
            try await removeEntry(of: change, evenIfUnknown: true)
        }
        let revoked = await Result(catching: {
            guard let change, let token = change.removed.token ?? change.old else { return }
            try await CredentialRequest.$isCurrent.withValue(true) {
                try await source.revoke(token, context: context)
            }
        })
        try [removed, revoked].compactMap { result in
            if case .failure(let error) = result { error } else { nil }
        }.check()
    }

    /// Signs the user of a token request out.
    func signOut(_ round: Int, _ cause: SignOutCause) async {
        let (_, result) = await change(cause, ofRound: round) { [self] change in
            let removed = await Result(catching: { try await removeEntry(of: change) })
            // The calls fail once the token has left the store, so that the application may end then.
            change.fail(with: cause.error)
            let failures = await ClientUser.end(change.users, cause.error)
            try (failures + [removed.failure].compactMap(\.self)).check()
        }
        if case .failure(let error) = result {
            report("not all of a user who was signed out could be removed: \(error)")
        }
    }

    /// Removes the entry of a user who was signed out, unless it belongs to another one by now.
    ///
    /// - Parameter evenIfUnknown: A Boolean value that indicates whether an entry is removed if the store never had one of the user.
    private func removeEntry(of change: Change, evenIfUnknown: Bool = false) async throws {
        try await store?.exclusively { [self, store] in
            do {
                if let found = try store?.load() {
                    if state.withLock({ $0.hasAbandoned(found) }) {
                        // A token that could not be saved is newer than that of the store.
                        if change.wasSaved { change.removed.take(found.token) }
                    } else if change.wasStored || !evenIfUnknown {
                        // Another process has signed another user in.
                        return
                    }
                }
            } catch let error where evenIfUnknown || (error as? TokenStoreError)?.code == .damaged {
                // It is of no use to another user either.
            }
            // Also without an entry: a damaged one may have been set aside.
            try await store?.remove()
            state.withLock { $0.noteRemoved() }
        }
    }

    // MARK: Taking place

    /// Begins a change, and returns its result once it has taken place, also if the task is cancelled.
    ///
    /// Calls of a user who is forgotten fail at once. After a token request, they fail as a part of the change.
    ///
    /// - Parameters:
    ///   - cause: The reason why the user is forgotten; nil if the user stays.
    ///   - round: The token request that the change follows from. If it is not in flight any more, nothing changes.
    private func change(
        _ cause: SignOutCause?, ofRound round: Int? = nil, _ work: @escaping @Sendable (Change) async throws -> Void
    ) async -> (Change?, Result<Void, any Error>?) {
        load()
        let present = state.withLock { state -> (identity: String, isSignedIn: Bool)? in
            state.isCurrent(round) ? (state.identity, state.token != nil) : nil
        }
        guard let present else { return (nil, nil) }
        let users = present.isSignedIn ? cause.map { usersWho(endWith: present.identity, $0) } ?? [] : []
        func leave() {
            for user in users { if round == nil { user.leave() } else { user.leaveFeatures() } }
        }
        leave()
        let begun = state.withLock { state -> (Change, Task<Void, any Error>, Round?)? in
            guard state.isCurrent(round) else { return nil }
            let old = state.token
            let wasStored = state.known.map { $0.identity.hasSameBytes(as: state.identity) } ?? false
            let wasSaved = !state.isUnsaved
            let superseded = state.endRound()
            let waiters = cause == nil ? [] : state.forget()
            let change = Change(
                identity: state.identity, old: old, wasStored: wasStored, wasSaved: wasSaved, users: users,
                waiters: waiters)
            let previous = state.lastChange
            let task = Task { [self] in
                _ = await previous?.result
                defer { endChange() }
                try await work(change)
            }
            state.pendingChanges += 1
            state.lastChange = task
            return (change, task, superseded)
        }
        guard let (change, task, superseded) = begun else { return (nil, nil) }
        superseded?.task?.cancel()
        // Calls that began while the user was being forgotten, and their cookies.
        leave()
        if round == nil { change.fail(with: .signedOut) }
        if let cause, change.old != nil { reports.report(cause) }
        return (change, await task.result)
    }

    /// Returns the users of clients who end with a user of the authenticator.
    private func usersWho(endWith name: String, _ cause: SignOutCause) -> [ClientUser] {
        let users = ClientUser.all(named: name)
        // A client whose configuration names the user goes on with the user after a sign-in.
        if case .replaced = cause { return users }
        return users + usersOfConfigurations()
    }

    /// Ends a change. With the last one, calls that have begun to wait meanwhile get a token.
    private func endChange() {
        state.withLock { $0.pendingChanges -= 1 }
        requestForWaiters()
    }
}

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }

    fileprivate var failure: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}
