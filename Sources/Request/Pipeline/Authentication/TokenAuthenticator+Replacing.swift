/// Changes of the token from outside.
extension TokenAuthenticator {
    func replace(_ token: Token, isOtherUser: Bool) async throws {
        load()
        // A token request in flight is superseded. The calls that wait for it get this token.
        let (task, identity, signedOut) = state.withLock { state -> (Task<Void, Never>?, String, [Waiter]) in
            let task = state.endRound()
            let waiters = isOtherUser ? state.forget() : []
            return (task, state.identity, waiters)
        }
        task?.cancel()
        for waiter in signedOut { waiter.continuation.resume(throwing: RequestError.signedOut) }
        let stored = StoredToken(token: token, identity: identity)
        let saved = await Result(catching: { try await store?.exclusively { [store] in try await store?.save(stored) } }
        )
        let isStored = (try? saved.get()) != nil
        let (waiters, isCurrent) = state.withLock { state -> ([Waiter], Task<Void, Never>?) in
            // A sign-out meanwhile wins.
            guard state.identity.hasSameBytes(as: identity) else { return ([], nil) }
            let task = state.endRound()
            return (state.take(token, issued: nil, isStored: isStored), task)
        }
        isCurrent?.cancel()
        for waiter in waiters { waiter.continuation.resume(returning: token) }
        try saved.get()
    }

    public func signOut(context: AuthenticationContext) async throws {
        load()
        let (task, old, waiters) = state.withLock { state -> (Task<Void, Never>?, Token?, [Waiter]) in
            let old = state.token
            return (state.endRound(), old, state.forget())
        }
        task?.cancel()
        for waiter in waiters { waiter.continuation.resume(throwing: RequestError.signedOut) }
        // First what makes the token useless here, also if the process ends. Then what takes time.
        let removed = await Result(catching: { try await store?.exclusively { [store] in try await store?.remove() } })
        if let old {
            try await CredentialRequest.$isCurrent.withValue(true) {
                try await source.revoke(old, context: context)
            }
        }
        try removed.get()
    }
}

extension Result where Failure == any Error {
    /// Creates a result of an asynchronous function.
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
