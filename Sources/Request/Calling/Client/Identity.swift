import Synchronization

/// The user that a call is made for. It is read once, when the call starts.
///
/// Cached responses, joined transfers and sign-outs belong to it.
package final class Identity: Equatable, Sendable {
    /// The name of the user; nil if the credentials of each request take its place.
    package let name: String?
    /// The digest of the name; nil without a name.
    package let digest: String?
    /// The beginning of the keys of its responses under declared policies, and of no other keys: see ``ResponseKey``.
    let scope: String
    /// The tag of everything that is cached for it. Signing out removes the entries with it.
    let tag: String
    /// The place of everything that is cached for it.
    var place: ChangeLog.Place { .identity(CacheKey(scope)) }

    // Each call uses the rest, which is made once.
    init(_ name: String?) {
        self.name = name
        digest = name.map { SHA256.hex($0.utf8) }
        scope = digest.map { "user=\($0.prefix(32)) " } ?? "anyone "
        tag = "http " + scope
    }

    package static func == (one: Identity, other: Identity) -> Bool { one.isNamed(other.name) }

    /// Returns whether it is the user with a name.
    func isNamed(_ other: String?) -> Bool { name.hasSameBytes(as: other) }

    /// Returns whether a name is that of the user, or one of those that `ServiceAuthenticators` have joined.
    func includes(_ other: String) -> Bool {
        guard let name else { return false }
        return isNamed(other) || name.split(separator: " ").contains { String($0).hasSameBytes(as: other) }
    }
}

/// The source of the identity of a client: its configuration, or the object that holds the credentials of the user.
///
/// Calls that begin before that object knows the user have a provisional identity. They go on as those of the user.
package final class IdentitySource: Sendable {
    /// Returns the name of the present user; nil if the name never changes.
    private let name: (@Sendable () -> String?)?
    private let features: Features
    /// The identity that was read last, because most calls have the same, and the provisional ones of its user.
    private let last: Mutex<(identity: Identity, provisional: [Identity])>

    init(_ configuration: Client.Configuration) {
        features = configuration.features
        name = configuration.identity == nil ? features.user : nil
        last = Mutex((Identity(configuration.identity), []))
    }

    /// The identity at this moment.
    var current: Identity { read().identity }

    /// The identity at this moment, then the provisional ones of the same user.
    var all: [Identity] {
        let (identity, provisional) = read()
        return [identity] + provisional
    }

    private func read() -> (identity: Identity, provisional: [Identity]) {
        let last = last.withLock { $0 }
        guard let name = name?(), !last.identity.isNamed(name) else { return last }
        let new = Identity(name)
        let gone = (last.provisional + [last.identity]).filter { !isProvisional($0, of: name) }
        return self.last.withLock { last in
            // Another thread may have read another identity meanwhile, for which calls have begun.
            if !last.identity.isNamed(name) {
                last = (new, (last.provisional + [last.identity]).filter { !gone.contains($0) })
            }
            return last
        }
    }

    /// Returns whether the user of a call is still signed in.
    package func isCurrent(_ identity: Identity) -> Bool {
        guard let name = name?() else { return true }
        return identity.isNamed(name) || isProvisional(identity, of: name)
    }

    private func isProvisional(_ identity: Identity, of name: String) -> Bool {
        identity.name.map { features.presentName(of: $0).hasSameBytes(as: name) } ?? false
    }
}
