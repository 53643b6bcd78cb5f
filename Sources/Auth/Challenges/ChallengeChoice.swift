/// The challenge that a client responds to: a pure function.
///
/// ```text
/// challenges                        response
/// Basic, Digest (MD5)               Digest
/// Digest (MD5), Digest (SHA-256)    Digest with SHA-256
/// Basic over https                  Basic
/// Basic over http                   none, unless the server is this device, or that is allowed
/// Negotiate, NTLM                   none
/// ```
enum ChallengeChoice: Equatable {
    case digest(DigestChallenge)
    case basic(realm: String)
    /// No challenge is supported. The text says why, and what to do.
    case none(String)

    /// - Parameters:
    ///   - allowsBasic: A Boolean value that indicates whether `Basic` is supported at all.
    ///   - isPrivate: A Boolean value that indicates whether no other device can read what is sent.
    ///   - missing: Returns the reason why this system lacks a hash function; nil if it has it.
    init(
        _ challenges: [Challenge], allowsBasic: Bool, isPrivate: Bool,
        missing: (Hash) -> String? = ChallengeChoice.missing
    ) {
        let digests = challenges.compactMap(DigestChallenge.init)
        for hash in Hash.ofDigests {
            guard let digest = digests.first(where: { $0.hash == hash }), missing(hash) == nil else { continue }
            self = .digest(digest)
            return
        }
        let basic = challenges.first { $0.isOf("Basic") }
        if let basic, allowsBasic, isPrivate {
            self = .basic(realm: basic.realm ?? "")
        } else if let reason = digests.first.flatMap({ missing($0.hash) }) {
            self = .none(reason)
        } else if basic != nil, allowsBasic {
            self = .none(
                "the server requires Basic over http, where everyone on the way can read the password: use https, or allow it "
                    + "with allowsBasicOverHTTP")
        } else {
            let names = Challenge.names(of: challenges)
            self = .none(
                "the server requires \(names.isEmpty ? "a scheme that it does not name" : names), and the authenticator "
                    + "supports \(allowsBasic ? "Digest and Basic" : "Digest"): use another one")
        }
    }

    static func missing(_ hash: Hash) -> String? {
        do {
            _ = try hash.digest([])
            return nil
        } catch {
            return error.text
        }
    }
}

extension Challenge {
    /// The schemes of challenges, for an error, such as `Negotiate, Digest with SHA-1`.
    static func names(of challenges: [Challenge]) -> String {
        var names: [String] = []
        for challenge in challenges {
            let algorithm = challenge.isOf("Digest") ? challenge["algorithm"] : nil
            let name = challenge.scheme + (algorithm.map { " with \($0)" } ?? "")
            if !names.contains(where: { $0.hasSameBytes(as: name) }) { names.append(name) }
        }
        return names.joined(separator: ", ")
    }
}

extension [Challenge] {
    /// Returns the challenges without a response yet, after a rejection of credentials, which have the form of a challenge.
    ///
    /// ```text
    /// sent                      challenges                           open
    /// nothing                   any                                  all
    /// Digest, realm "a"         Digest, realm "a", stale=true        that one: only the nonce was too old
    /// Digest, realm "a"         Digest, realm "a"                    none: the user or the password is wrong
    /// Digest, realm "a"         Digest, realm "b"                    that one: the part of the server is another
    /// Basic                     any                                  none: the user or the password is wrong
    /// ```
    func open(after sent: Challenge?) -> [Challenge] {
        guard let sent else { return self }
        guard sent.isOf("Digest"), let realm = sent.realm else { return [] }
        let stale = filter { challenge in
            challenge.realm?.hasSameBytes(as: realm) == true && DigestChallenge(challenge)?.isStale == true
        }
        guard stale.isEmpty else { return stale }
        return contains { $0.realm?.hasSameBytes(as: realm) == true }
            ? [] : filter { $0.realm != nil }
    }
}
