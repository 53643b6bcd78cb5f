/// A rejection of a request, and the credentials that were sent with it: values for the decision whether to respond again.
struct Rejection {
    /// The credentials of the rejected request, which have the form of a challenge; nil if it had none.
    let sent: Challenge?
    let challenges: [Challenge]

    /// The challenges without a response yet.
    ///
    /// ```text
    /// sent                      challenges                           open
    /// nothing                   any                                  all
    /// Digest, realm "a"         Digest, realm "a", stale=true        that one: only the nonce was too old
    /// Digest, realm "a"         Digest, realm "a"                    none: the user or the password is wrong
    /// Digest, realm "a"         Digest, realm "b"                    that one: the part of the server is another
    /// Basic                     any                                  none: the user or the password is wrong
    /// ```
    var open: [Challenge] {
        guard let sent else { return challenges }
        guard sent.isOf("Digest"), let realm = sent.realm else { return [] }
        let stale = challenges.filter { challenge in
            challenge.realm?.hasSameBytes(as: realm) == true && DigestChallenge(challenge)?.isStale == true
        }
        guard stale.isEmpty else { return stale }
        return challenges.contains { $0.realm?.hasSameBytes(as: realm) == true }
            ? [] : challenges.filter { $0.realm != nil }
    }
}
