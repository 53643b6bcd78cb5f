import TangoPromise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The requests for tokens, and the calls that wait for them.
extension TokenAuthenticator {
    /// Reads the store, once.
    func load() {
        guard !state.withLock(\.isLoaded) else { return }
        // Outside the lock, because the store may be the user's.
        let loaded = Result { try store?.load() }
        let failure = state.withLock { state -> (any Error)? in
            guard !state.isLoaded else { return nil }
            switch loaded {
            case .success(let stored?):
                state.identity = stored.identity
                _ = state.take(stored.token, issued: nil, isStored: true)
            case .success(nil): state.isLoaded = true
            case .failure(let error):
                // The next request reads it again: it may be locked for the moment.
                defer { state.hasFailedToLoad = true }
                return state.hasFailedToLoad ? nil : error
            }
            return nil
        }
        if let failure { RequestDiagnostics.report("a stored token could not be read: \(failure)") }
    }

    // MARK: Waiting

    /// Returns a token that servers have not rejected, once there is one.
    ///
    /// - Parameter rejected: The header with the token that was rejected; nil if none was.
    func newToken(replacing rejected: String?, _ context: AuthenticationContext) async throws -> Token {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let now = context.now
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(Waiter(context: context, continuation: continuation), number, replacing: rejected, at: now)
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: number) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private enum Step {
        case resume(Result<Token, any Error>)
        case begin(Int)
        case join
    }

    private func wait(_ waiter: Waiter, _ number: Int, replacing rejected: String?, at now: Date) {
        let step = state.withLock { state -> Step in
            // A cancellation before this moment has found no waiter.
            if Task.isCancelled { return .resume(.failure(CancellationError())) }
            if let token = state.token {
                let isNewer = rejected.map { !token.authorization.hasSameBytes(as: $0) } ?? true
                if isNewer, state.use(at: now, rules) != .wait { return .resume(.success(token)) }
                if !isNewer, state.round == nil {
                    if state.hasTooManyTokens(at: now, rules) { return .resume(.failure(Self.tooManyTokens)) }
                    state.isRejected = true
                }
            }
            state.waiters[number] = waiter
            return state.round == nil ? .begin(state.beginRound(waiter.context.client)) : .join
        }
        switch step {
        case .resume(let result): waiter.continuation.resume(with: result)
        case .begin(let round): begin(round, waiter.context)
        case .join: break
        }
    }

    private static var tooManyTokens: RequestError {
        RequestError(
            .authenticationFailed, phase: .prepare,
            detail:
                "the server has rejected several new tokens in a row: check the scopes and the audience of the tokens")
    }

    // MARK: Requesting

    /// Requests a new token, and lets no call wait for it.
    func renew(_ context: AuthenticationContext) {
        let round = state.withLock { state in state.round == nil ? state.beginRound(context.client) : nil }
        if let round { begin(round, context) }
    }

    private func begin(_ number: Int, _ context: AuthenticationContext) {
        // The task belongs to none of the calls: one that is cancelled must not lose the token of the others.
        let task = Task.detached { [self] in
            await CredentialRequest.$isCurrent.withValue(true) { await run(number, context) }
        }
        let isCurrent = state.withLock { state in
            guard state.round?.number == number else { return false }
            state.round?.task = task
            return true
        }
        // It may have ended already, or be superseded.
        if !isCurrent { task.cancel() }
    }

    private func run(_ number: Int, _ context: AuthenticationContext) async {
        var failures = 0
        while true {
            do {
                let (stored, isStored) = try await requestToken(context)
                return end(number, with: stored, isStored, context)
            } catch {
                failures += 1
                switch await decision(after: error, failures, number) {
                case .retry(let delay):
                    guard (try? await context.client.configuration.clock.wait(for: delay)) != nil else {
                        return end(number, with: error, context)
                    }
                case .signOut: return await signOut(number, after: error, context)
                case .giveUp: return end(number, with: error, context)
                }
            }
        }
    }

    private func decision(after error: any Error, _ failures: Int, _ number: Int) async -> TokenDecision {
        guard state.withLock({ $0.round?.number == number }), !(error is CancellationError),
            (error as? RequestError)?.code != .shutDown, failures < rules.failureLimit
        else { return .giveUp }
        if let error = error as? RequestError, [.signedOut, .signInRequired].contains(error.code) { return .giveUp }
        return await source.decision(after: error, failures: failures)
    }

    /// Returns the token of another process that shares the store, or requests one and stores it.
    private func requestToken(_ context: AuthenticationContext) async throws -> (StoredToken, isStored: Bool) {
        guard let store else {
            let (token, identity) = state.withLock { ($0.token, $0.identity) }
            return (
                StoredToken(token: try await source.token(replacing: token, context: context), identity: identity),
                false
            )
        }
        return try await store.exclusively { [self] in
            let stored = try store.load()
            let (token, identity, isStored) = state.withLock { ($0.token, $0.identity, $0.isStored) }
            if let stored, stored.token != token, isUsable(stored.token, context) { return (stored, true) }
            // Another process has signed the user out.
            if stored == nil, isStored { throw RequestError.signedOut }
            let old = stored?.token ?? token
            let new = StoredToken(
                token: try await source.token(replacing: old, context: context), identity: stored?.identity ?? identity)
            // Stored before any call uses it, because servers may accept the refresh token before it only once.
            do {
                try await store.save(new)
            } catch {
                RequestDiagnostics.report(
                    "a new token could not be stored, so the user may have to sign in again after a restart: \(error)")
                return (new, false)
            }
            return (new, true)
        }
    }

    private func isUsable(_ token: Token, _ context: AuthenticationContext) -> Bool {
        guard let expires = token.expires else { return true }
        return expires.timeIntervalSince(context.now) > rules.skew
    }

    // MARK: Ends

    private func end(_ number: Int, with stored: StoredToken, _ isStored: Bool, _ context: AuthenticationContext) {
        let now = context.now
        let waiters = state.withLock { state -> [Waiter] in
            guard state.round?.number == number else { return [] }
            state.round = nil
            state.identity = stored.identity
            state.tokenTimes.append(now)
            return state.take(stored.token, issued: now, isStored: isStored)
        }
        for waiter in waiters { waiter.continuation.resume(returning: stored.token) }
    }

    private func end(_ number: Int, with error: any Error, _ context: AuthenticationContext) {
        // Calls of other clients go on if only the client of the request was shut down.
        let isShutDown = (error as? RequestError)?.code == .shutDown
        let now = context.now
        let (waiters, next) = state.withLock { state -> ([Waiter], (Int, AuthenticationContext)?) in
            guard state.round?.number == number else { return ([], nil) }
            state.round = nil
            state.renewsAfter = now.addingTimeInterval(rules.pause)
            guard isShutDown,
                let other = state.waiters.values.first(where: { $0.context.client !== context.client })
            else { return (state.takeWaiters(), nil) }
            return ([], (state.beginRound(other.context.client), other.context))
        }
        if let (number, context) = next { begin(number, context) }
        let error = RequestError.noToken(error)
        for waiter in waiters { waiter.continuation.resume(throwing: error) }
    }

    /// Signs the user out, because the token cannot be renewed.
    private func signOut(_ number: Int, after error: any Error, _ context: AuthenticationContext) async {
        let (waiters, identity) = state.withLock { state -> ([Waiter], String?) in
            guard state.round?.number == number else { return ([], nil) }
            state.round = nil
            let identity = state.identity
            return (state.forget(), identity)
        }
        guard let identity else { return }
        let error = RequestError.signInAgain(error)
        do {
            try await store?.exclusively { [store] in try await store?.remove() }
        } catch {
            RequestDiagnostics.report(
                "a token that is of no use any more could not be removed from its store: \(error)")
        }
        for waiter in waiters { waiter.continuation.resume(throwing: error) }
        await context.client.forget(Identity(identity), error)
    }
}
