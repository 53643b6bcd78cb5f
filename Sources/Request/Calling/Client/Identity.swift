import Synchronization

/// The user that a call is made for. It is read once, when the call starts.
///
/// Cached responses, joined transfers and sign-outs belong to it.
final class Identity: Sendable {
    /// The name of the user; nil if the credentials of each request take its place.
    let name: String?
    /// The beginning of the keys of its cached responses: see ``ResponseKey``.
    let scope: String

    init(_ name: String?) {
        self.name = name
        scope = ResponseKey.scope(of: name)
    }

    /// Returns whether it is the user with a name.
    func isNamed(_ other: String?) -> Bool { name.hasSameBytes(as: other) }
}

/// The source of the identity of a client: its configuration, or the object that holds the credentials of the user.
final class IdentitySource: Sendable {
    /// Returns the name of the present user; nil if the name never changes.
    private let name: (@Sendable () -> String?)?
    /// The identity that was read last, because most calls have the same.
    private let last: Mutex<Identity>

    init(_ configuration: Client.Configuration) {
        let cookies = configuration.cookies
        if configuration.identity != nil {
            name = nil
        } else if let authenticator = configuration.authenticator {
            // Credentials without a user of their own are not cached for the user of the cookies.
            name = { authenticator.identity }
        } else if cookies.identity != nil {
            name = { cookies.identity }
        } else {
            name = nil
        }
        last = Mutex(Identity(configuration.identity))
    }

    /// The identity at this moment.
    var current: Identity {
        let last = last.withLock { $0 }
        guard let name = name?(), !last.isNamed(name) else { return last }
        let new = Identity(name)
        return withExtendedLifetime(self.last.withLock { replace(&$0, with: new) }) { new }
    }

    /// Returns whether the user of a call is still signed in.
    func isCurrent(_ identity: Identity) -> Bool {
        guard let name = name?() else { return true }
        return identity.isNamed(name)
    }
}
