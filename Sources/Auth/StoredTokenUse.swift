/// The decision about the entry that a token request finds in the store. A pure function of values.
enum StoredTokenUse: Hashable, Sendable {
    /// Another process, or another authenticator, has stored this token, which is used.
    case adopt(StoredToken)
    /// Another process, or another authenticator, has signed the user out.
    case signedOut
    /// A token is requested in place of this one, for this user.
    case request(replacing: Token?, identity: String)

    /// The values that a decision depends on.
    struct Situation {
        /// The entry of the store.
        var found: StoredToken?
        /// The entry that the authenticator has last read or saved.
        var known: StoredToken?
        /// The token in memory. It is newer than the known entry if it could not be saved.
        var token: Token?
        /// The user in memory.
        var identity: String
        /// A Boolean value that indicates whether requests can be sent with the token of the entry.
        var isUsable = true
    }

    static func of(_ situation: Situation) -> StoredTokenUse {
        guard let found = situation.found else {
            return situation.known == nil
                ? .request(replacing: situation.token, identity: situation.identity) : .signedOut
        }
        // The store is unchanged, so the token in memory wins.
        if found == situation.known, let token = situation.token {
            return .request(replacing: token, identity: situation.identity)
        }
        return situation.isUsable && found.token != situation.token
            ? .adopt(found) : .request(replacing: found.token, identity: found.identity)
    }
}
