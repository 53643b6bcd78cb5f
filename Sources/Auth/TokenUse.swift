/// The decision whether a request is sent with a token that is there. A pure function of values.
enum TokenUse: Hashable, Sendable {
    case send
    /// The request is sent with the token, and a new one is requested meanwhile.
    case sendAndRenew
    case wait

    /// The values that a decision depends on.
    struct Situation {
        /// The time at which the token expires; nil if it is unknown.
        var expires: Date?
        /// The time at which the token was issued; nil if it comes from a store.
        var issued: Date?
        var isRejected = false
        var isRequested = false
        /// The time before which the token is not renewed early, because that has failed before.
        var renewsAfter: Date?
        var now: Date
        /// The time before the expiry from which on the token is renewed.
        var window = TimeInterval.zero
        /// The time by which the clocks of this device and of the servers may differ.
        var skew = TimeInterval.zero
    }

    static func of(_ situation: Situation) -> TokenUse {
        guard !situation.isRejected else { return .wait }
        guard let expires = situation.expires else { return .send }
        let left = expires.timeIntervalSince(situation.now)
        guard left > situation.skew else { return .wait }
        guard !situation.isRequested, left <= situation.window(until: expires),
            situation.renewsAfter.map({ $0 <= situation.now }) ?? true
        else { return .send }
        return .sendAndRenew
    }
}

extension TokenUse.Situation {
    /// Returns the window: at most a quarter of the life of the token, so that short-lived tokens are not renewed with each
    /// request.
    fileprivate func window(until expires: Date) -> TimeInterval {
        guard let issued else { return window }
        return min(window, max(0, expires.timeIntervalSince(issued)) / 4)
    }
}
