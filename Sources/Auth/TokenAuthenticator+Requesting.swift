/// The requests for tokens, and the calls that wait for them.
extension TokenAuthenticator {
    /// Reads the store, once.
    func load() {
        guard !state.withLock(\.isLoaded) else { return }
        // Outside the lock, because the store may be the user's.
        let loaded = Result { try store?.load() }
        if case .success(let stored?) = loaded { secrets.add(stored.token.secrets) }
        let failure = state.withLock { state -> (any Error)? in
            guard !state.isLoaded else { return nil }
            switch loaded {
            case .success(let stored?):
                state.adopt(stored.identity)
                state.known = stored
                state.use(stored.token, issued: nil, isSaved: true)
            case .success(nil): state.isLoaded = true
            case .failure(let error):
                // The next request reads it again: it may be locked for the moment.
                defer { state.hasFailedToLoad = true }
                return state.hasFailedToLoad ? nil : error
            }
            return nil
        }
        if let failure { report("a stored token could not be read: \(failure)") }
    }

    /// Reports a problem without the secrets of the authenticator, which an error of a store or a source may repeat.
    func report(_ problem: String) {
        RequestDiagnostics.report(Redaction.standard.knowing([secrets]).redact(text: problem))
    }

    // MARK: Waiting

    /// Returns a token that servers have not rejected, once there is one.
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
                if isNewer, state.use(at: now, rules) != .wait {
                    guard state.givesWay(waiter.context) else { return .resume(.success(token)) }
                    state.ready.insert((waiter, token))
                    return .join
                }
                if !isNewer, state.round == nil {
                    if state.hasTooManyTokens(at: now, rules) { return .resume(.failure(Self.tooManyTokens)) }
                    state.isRejected = true
                }
            }
            state.waiters[number] = waiter
            return state.beginRound(waiter.context.client).map { .begin($0) } ?? .join
        }
        switch step {
        case .resume(let result): waiter.continuation.resume(with: result)
        case .begin(let round): begin(round, waiter.context)
        case .join: break
        }
    }

    /// Lets the calls that are ready continue, one after the other. If another thread does so already, it goes on until none is
    /// ready.
    func resumeReady() {
        var next = state.withLock { $0.resumed == nil ? $0.nextReady() : nil }
        while let (waiter, token) = next {
            // Not under the lock: a task that is cancelled takes both locks in the other order.
            waiter.continuation.resume(returning: token)
            next = state.withLock { $0.nextReady() }
        }
    }

    private static var tooManyTokens: RequestError {
        RequestError(
            .authenticationFailed, phase: .prepare,
            detail:
                "the server has rejected several new tokens in a row: check the scopes and the audience of the tokens")
    }

    // MARK: Requesting

    /// The purpose of a round.
    private enum Purpose {
        case newToken
        /// The token in memory is saved, which has failed before.
        case saving
    }

    /// Requests a new token, and lets no call wait for it.
    func renew(_ context: AuthenticationContext) {
        if let round = state.withLock({ $0.beginRound(context.client) }) { begin(round, context) }
    }

    /// Saves the token again, and lets no call wait for that.
    func saveAgain(_ context: AuthenticationContext) {
        let round = state.withLock { $0.isUnsaved ? $0.beginRound(context.client) : nil }
        if let round { begin(round, context, .saving) }
    }

    /// Requests a token if calls wait for one, and no request is in flight.
    func requestForWaiters() {
        let next = state.withLock { state -> (Int, AuthenticationContext)? in
            guard let waiter = state.waiters.min(by: { $0.key < $1.key })?.value,
                let round = state.beginRound(waiter.context.client)
            else { return nil }
            return (round, waiter.context)
        }
        if let (round, context) = next { begin(round, context) }
    }

    private func begin(_ number: Int, _ context: AuthenticationContext, _ purpose: Purpose = .newToken) {
        // The task belongs to none of the calls: one that is cancelled must not lose the token of the others.
        let task = Task.detached { [self] in
            await CredentialRequest.$isCurrent.withValue(true) { await run(number, context, purpose) }
        }
        let isCurrent = state.withLock { state in
            guard state.round?.number == number else { return false }
            state.round?.task = task
            return true
        }
        // It may have ended already, or be superseded.
        if !isCurrent { task.cancel() }
    }

    private func run(_ number: Int, _ context: AuthenticationContext, _ purpose: Purpose) async {
        var failures = 0
        while true {
            do {
                return await end(number, with: try await requestToken(number, context, purpose), context, purpose)
            } catch is SignedOutElsewhere {
                return await signOut(number, .elsewhere)
            } catch {
                failures += 1
                switch await decision(after: error, failures, number, purpose) {
                case .retry(let delay):
                    guard (try? await context.client.configuration.clock.wait(for: delay)) != nil else {
                        return end(number, with: error, context, purpose)
                    }
                case .signOut: return await signOut(number, .rejected(.signInAgain(error)))
                case .giveUp: return end(number, with: error, context, purpose)
                }
            }
        }
    }

    private func decision(
        after error: any Error, _ failures: Int, _ number: Int, _ purpose: Purpose
    ) async -> TokenDecision {
        guard purpose == .newToken, state.withLock({ $0.isCurrent(number) }), !(error is CancellationError),
            (error as? RequestError)?.code != .shutDown, failures < rules.failureLimit
        else { return .giveUp }
        if let error = error as? RequestError, [.signedOut, .signInRequired].contains(error.code) { return .giveUp }
        return await source.decision(after: error, failures: failures)
    }

    /// The outcome of a round.
    private struct Outcome {
        let stored: StoredToken
        /// The entry of the store.
        let known: StoredToken?
        var isSaved: Bool { known == stored }
    }

    /// The error of a round that finds that the user was signed out by another process, or by another authenticator.
    private struct SignedOutElsewhere: Error {}

    /// Returns the token of another process that shares the store, or requests one and saves it.
    private func requestToken(
        _ number: Int, _ context: AuthenticationContext, _ purpose: Purpose
    ) async throws -> Outcome {
        guard let store else {
            let (token, identity) = state.withLock { ($0.token, $0.identity) }
            let new = StoredToken(token: try await newToken(in: context, replacing: token), identity: identity)
            return Outcome(stored: new, known: new)
        }
        return try await store.exclusively { [self] in
            var found = try await entry(of: store, number)
            guard case .request(let old, let identity) = try use(of: found, context) else {
                return try adopted(found)
            }
            let token: Token
            if purpose == .saving, let old {
                token = old
            } else {
                token = try await newToken(in: context, replacing: old)
                // The user may have signed out meanwhile, also in another process if the store has no lock.
                let present = try await entry(of: store, number, unreadable: found)
                if present != found {
                    if case .adopt = try use(of: present, knowing: found, context) { return try adopted(present) }
                    found = present
                }
            }
            let new = StoredToken(token: token, identity: identity)
            // Saved before any call uses it, because servers may accept the refresh token before it only once.
            do {
                try await store.save(new)
                state.withLock { $0.noteSaved(new) }
                return Outcome(stored: new, known: new)
            } catch {
                if purpose == .newToken {
                    report(
                        "a new token could not be stored, so the user may have to sign in again after a restart: \(error)"
                    )
                }
                return Outcome(stored: new, known: found)
            }
        }
    }

    /// Returns the entry of the store, unless it belongs to a user who was forgotten. Throws if the round is superseded.
    private func entry(of store: any TokenStore, _ number: Int) async throws -> StoredToken? {
        guard state.withLock({ $0.isCurrent(number) }) else { throw CancellationError() }
        guard let found = try store.load() else { return nil }
        secrets.add(found.token.secrets)
        guard state.withLock({ $0.hasAbandoned(found) }) else { return found }
        // It could not be removed before.
        try? await store.remove()
        return nil
    }

    /// Returns the entry of the store, or another value if the store cannot be read. A new token must not be lost then.
    private func entry(
        of store: any TokenStore, _ number: Int, unreadable other: StoredToken?
    ) async throws -> StoredToken? {
        do { return try await entry(of: store, number) } catch let error as CancellationError { throw error } catch {
            return other
        }
    }

    private func use(of found: StoredToken?, _ context: AuthenticationContext) throws -> StoredTokenUse {
        try use(of: found, knowing: state.withLock(\.known), context)
    }

    private func use(
        of found: StoredToken?, knowing known: StoredToken?, _ context: AuthenticationContext
    ) throws -> StoredTokenUse {
        let (token, identity) = state.withLock { ($0.token, $0.identity) }
        let use = StoredTokenUse.of(
            StoredTokenUse.Situation(
                found: found, known: known, token: token, identity: identity,
                isUsable: found.map { isUsable($0.token, context) } ?? false))
        if use == .signedOut { throw SignedOutElsewhere() }
        return use
    }

    private func adopted(_ found: StoredToken?) throws -> Outcome {
        guard let found else { throw SignedOutElsewhere() }
        return Outcome(stored: found, known: found)
    }

    /// Requests a token from the source. When the round is superseded, it throws at once, also if the source goes on.
    private func newToken(in context: AuthenticationContext, replacing old: Token?) async throws -> Token {
        if old == nil, source.belongsToUser, state.withLock(\.hasSignedOut) { throw RequestError.signInRequired }
        let token = try await Promise { [source] in
            try await CredentialRequest.$isCurrent.withValue(true) {
                try await source.token(replacing: old, context: context)
            }
        }.value
        secrets.add(token.secrets)
        return token
    }

    private func isUsable(_ token: Token, _ context: AuthenticationContext) -> Bool {
        guard let expires = token.expires else { return true }
        return expires.timeIntervalSince(context.now) > rules.skew
    }

    // MARK: Ends

    private func end(
        _ number: Int, with outcome: Outcome, _ context: AuthenticationContext, _ purpose: Purpose
    ) async {
        let now = context.now
        let stored = outcome.stored
        let replaced = state.withLock { state -> String? in
            guard state.isCurrent(number), state.token != nil, !state.identity.hasSameBytes(as: stored.identity)
            else { return nil }
            return state.identity
        }
        // Another process has signed another user in.
        let users = replaced.map(ClientUser.all(named:)) ?? []
        for user in users { user.leave() }
        state.withLock { state in
            guard state.isCurrent(number) else { return }
            state.round = nil
            state.known = outcome.known
            state.adopt(stored.identity)
            defer { if !outcome.isSaved { state.savesAfter = now.addingTimeInterval(rules.pause) } }
            if purpose == .saving, state.token == stored.token {
                state.isUnsaved = !outcome.isSaved
                return
            }
            state.tokenTimes.append(now)
            state.take(stored.token, issued: now, isSaved: outcome.isSaved)
        }
        for user in users { user.leave() }
        if replaced != nil { reports.report(.elsewhere) }
        resumeReady()
        requestForWaiters()
        for failure in await ClientUser.end(users, .signedOut) {
            report("not all of a user who was signed out could be removed: \(failure)")
        }
    }

    private func end(
        _ number: Int, with error: any Error, _ context: AuthenticationContext, _ purpose: Purpose
    ) {
        // Calls of other clients go on if only the client of the request was shut down. A failure to save is none of theirs.
        let isShutDown = (error as? RequestError)?.code == .shutDown
        let now = context.now
        let waiters = state.withLock { state -> [Waiter] in
            guard state.isCurrent(number) else { return [] }
            state.round = nil
            if purpose == .saving {
                state.savesAfter = now.addingTimeInterval(rules.pause)
                return []
            }
            state.renewsAfter = now.addingTimeInterval(rules.pause)
            guard isShutDown, state.waiters.values.contains(where: { $0.context.client !== context.client })
            else { return state.takeWaiters() }
            return state.takeWaiters { $0.context.client === context.client }
        }
        let error = RequestError.noToken(error)
        for waiter in waiters { waiter.continuation.resume(throwing: error) }
        requestForWaiters()
    }
}
