#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TokenAuthenticator {
    /// The token, its user, the calls that wait for a new token, and the request for it.
    struct State {
        var token: Token? {
            didSet { header = token?.authorization }
        }
        /// The header of the token, because each request has it.
        private(set) var header: String?
        var identity = UUID().uuidString
        /// A Boolean value that indicates whether the store has been read.
        var isLoaded = false
        /// A Boolean value that indicates whether reading the store has failed, which is reported once.
        var hasFailedToLoad = false
        /// A Boolean value that indicates whether the store has the token.
        var isStored = false
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
    /// Returns whether a request is sent with the token.
    func use(at now: Date, _ rules: TokenAuthenticator.Rules) -> TokenUse {
        guard let token else { return .wait }
        return TokenUse.of(
            TokenUse.Situation(
                expires: token.expires, issued: issued, isRejected: isRejected, isRequested: round != nil,
                renewsAfter: renewsAfter, now: now, window: rules.window, skew: rules.skew))
    }

    /// Takes a token. Returns the calls that wait for it.
    mutating func take(_ token: Token, issued: Date?, isStored: Bool) -> [TokenAuthenticator.Waiter] {
        self.token = token
        self.issued = issued
        self.isStored = isStored
        isRejected = false
        isLoaded = true
        renewsAfter = nil
        return takeWaiters()
    }

    /// Forgets the token and its user. Returns the calls that wait for another one.
    mutating func forget() -> [TokenAuthenticator.Waiter] {
        token = nil
        issued = nil
        identity = UUID().uuidString
        isStored = false
        isRejected = false
        isLoaded = true
        renewsAfter = nil
        return takeWaiters()
    }

    mutating func takeWaiters() -> [TokenAuthenticator.Waiter] {
        defer { waiters = [:] }
        return waiters.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Returns whether so many tokens were issued lately that a further one would be rejected too.
    mutating func hasTooManyTokens(at now: Date, _ rules: TokenAuthenticator.Rules) -> Bool {
        tokenTimes.removeAll { now.timeIntervalSince($0) > rules.tokenInterval || $0 > now }
        return tokenTimes.count >= rules.tokenLimit
    }

    /// Begins a request for a token.
    mutating func beginRound(_ client: Client) -> Int {
        lastRound += 1
        round = TokenAuthenticator.Round(number: lastRound, client: client)
        return lastRound
    }

    /// Ends the request in flight, whose outcome does not count any more.
    mutating func endRound() -> Task<Void, Never>? {
        defer { round = nil }
        return round?.task
    }
}
