extension TokenAuthenticator {
    /// The token, its user, the calls that wait for a new token, and the request for it.
    struct State {
        var token: Token? {
            didSet { header = token?.authorization }
        }
        /// The header of the token, because each request has it.
        private(set) var header: String?
        fileprivate(set) var identity = UUID().uuidString
        /// The identity of the calls that began before the store had a token of the user; nil if there are none.
        fileprivate(set) var provisional: String?
        var isLoaded = false
        /// A Boolean value that indicates whether reading the store has failed, which is reported once.
        var hasFailedToLoad = false
        /// The entry of the store that was last read or saved; nil if there was none.
        var known: StoredToken?
        /// The users who were forgotten, as long as the store may still have their token.
        var abandoned: Set<ExactString> = []
        /// A Boolean value that indicates whether the token could not be saved, so that this is tried again.
        var isUnsaved = false
        /// The time before which the token is not saved again, because that has failed.
        var savesAfter: Date?
        /// A Boolean value that indicates whether a user has signed out, and none has signed in since.
        var hasSignedOut = false
        var isRejected = false
        var issued: Date?
        var renewsAfter: Date?
        /// The times at which the last tokens were issued.
        var tokenTimes: [Date] = []
        /// The request for a new token, if there is one in flight.
        var round: Round?
        var lastRound = 0
        var waiters: [Int: Waiter] = [:]
        var lastWaiter = 0
        /// The calls that continue with a new token, in the order in which they were started.
        var ready = Heap<(waiter: Waiter, token: Token)> { $0.waiter.context.call < $1.waiter.context.call }
        /// The call of these that is being resumed.
        fileprivate(set) var resumed: UInt64?
        /// The changes that have begun and not ended. Meanwhile, no token is requested.
        var pendingChanges = 0
        var lastChange: Task<Void, any Error>?
    }

    /// One request for a new token, with the further ones that follow failures.
    struct Round {
        let number: Int
        let client: Client
        var task: Task<Void, Never>?
    }

    /// A call that waits for a new token.
    struct Waiter {
        let context: AuthenticationContext
        let continuation: CheckedContinuation<Token, any Error>
    }
}

extension TokenAuthenticator.State {
    func use(at now: Date, _ rules: TokenAuthenticator.Rules) -> TokenUse {
        guard let token else { return .wait }
        return TokenUse.of(
            TokenUse.Situation(
                expires: token.expires, issued: issued, isRejected: isRejected, isRequested: round != nil,
                renewsAfter: renewsAfter, now: now, window: rules.window, skew: rules.skew))
    }

    /// Takes a token. The calls that wait for it are ready.
    mutating func take(_ token: Token, issued: Date?, isSaved: Bool) {
        use(token, issued: issued, isSaved: isSaved)
        for waiter in takeWaiters() { ready.insert((waiter, token)) }
    }

    /// Removes the next call that continues.
    mutating func nextReady() -> (waiter: TokenAuthenticator.Waiter, token: Token)? {
        let next = ready.first
        resumed = next?.waiter.context.call
        if next != nil { ready.removeFirst() }
        return next
    }

    /// Returns whether a call that has its token lets others continue before it, because they were started before.
    func givesWay(_ context: AuthenticationContext) -> Bool {
        min(resumed ?? .max, ready.first?.waiter.context.call ?? .max) < context.call
    }

    /// Has a token from now on. The calls that wait go on waiting for the request in flight.
    mutating func use(_ token: Token, issued: Date?, isSaved: Bool) {
        self.token = token
        self.issued = issued
        isUnsaved = !isSaved
        isRejected = false
        isLoaded = true
        renewsAfter = nil
        savesAfter = nil
        hasSignedOut = false
    }

    /// Has the user of an entry of the store from now on. Calls that began before any user was known go on as this one's.
    mutating func adopt(_ identity: String) {
        guard !self.identity.hasSameBytes(as: identity) else { return }
        provisional = token == nil && !hasSignedOut ? self.identity : nil
        self.identity = identity
    }

    /// Forgets the token and its user. Returns the calls that wait for another one.
    mutating func forget() -> [TokenAuthenticator.Waiter] {
        for old in [identity, known?.identity].compactMap(\.self) { abandoned.insert(ExactString(old)) }
        known = nil
        token = nil
        issued = nil
        identity = UUID().uuidString
        provisional = nil
        isUnsaved = false
        isRejected = false
        isLoaded = true
        renewsAfter = nil
        hasSignedOut = true
        return takeWaiters()
    }

    /// Records an entry that the store has now, in place of all before.
    mutating func noteSaved(_ stored: StoredToken) {
        known = stored
        // The user may have been forgotten while the entry was being saved.
        abandoned.formIntersection([ExactString(stored.identity)])
    }

    mutating func noteRemoved() {
        known = nil
        abandoned = []
    }

    /// Returns whether an entry of the store belongs to a user who was forgotten.
    func hasAbandoned(_ stored: StoredToken) -> Bool {
        !abandoned.isEmpty && abandoned.contains(ExactString(stored.identity))
    }

    func isSavedAgain(at now: Date) -> Bool {
        isUnsaved && savesAfter.map { $0 <= now } ?? true
    }

    /// Removes the calls that wait, or those that a closure includes, and returns them in their order.
    mutating func takeWaiters(
        where isIncluded: (TokenAuthenticator.Waiter) -> Bool = { _ in true }
    ) -> [TokenAuthenticator.Waiter] {
        let taken = waiters.filter { isIncluded($0.value) }
        for number in taken.keys { waiters[number] = nil }
        return taken.sorted { ($0.value.context.call, $0.key) < ($1.value.context.call, $1.key) }.map(\.value)
    }

    /// Returns whether so many tokens were issued lately that a further one would be rejected too.
    mutating func hasTooManyTokens(at now: Date, _ rules: TokenAuthenticator.Rules) -> Bool {
        tokenTimes.removeAll { now.timeIntervalSince($0) > rules.tokenInterval || $0 > now }
        return tokenTimes.count >= rules.tokenLimit
    }

    /// Returns whether a request for a token is in flight; true without a number.
    func isCurrent(_ round: Int?) -> Bool {
        round == nil || self.round?.number == round
    }

    /// Begins a request for a token. Returns nil if one is in flight already, or a change is.
    mutating func beginRound(_ client: Client) -> Int? {
        guard round == nil, pendingChanges == 0 else { return nil }
        lastRound += 1
        round = TokenAuthenticator.Round(number: lastRound, client: client)
        return lastRound
    }

    /// Ends the request in flight, whose outcome does not count any more.
    mutating func endRound() -> TokenAuthenticator.Round? {
        defer { round = nil }
        return round
    }
}
