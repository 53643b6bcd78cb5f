/// An authenticator whose credentials are known as secrets, also before a request carries them.
protocol SecretHolder: Authenticator {
    var secrets: KnownSecrets { get }
}

extension Authenticator {
    /// The secrets of the authenticator, or of those of its services.
    var knownSecrets: Set<KnownSecrets> { Set(members.compactMap { ($0 as? any SecretHolder)?.secrets }) }

    /// The authenticator itself, or those of its services.
    var members: [any Authenticator] { (self as? ServiceAuthenticators)?.all.flatMap { $0.members } ?? [self] }
}

extension Token {
    var secrets: [String] {
        [value] + [refreshToken].compactMap(\.self)
            + values.filter { Redaction.standard.hides(field: $0.key) && $0.value.isDistinct }.map(\.value)
    }
}
