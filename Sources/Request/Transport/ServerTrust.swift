/// Whom to trust at the other end of an `https` connection.
public struct ServerTrust: Hashable, Sendable {
    enum Rule: Hashable, Sendable {
        case system
    }

    let rule: Rule

    /// The certificates that the system trusts, with the name of the host checked.
    public static let system = ServerTrust(rule: .system)
}
