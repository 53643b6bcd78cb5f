/// An authenticator whose credentials are known as secrets, also before a request carries them.
protocol SecretHolder: Authenticator {
    var secrets: KnownSecrets { get }
}

extension Authenticator {
    /// The secrets of the authenticator, or of those of its services.
    var knownSecrets: Set<KnownSecrets> {
        if let services = self as? ServiceAuthenticators {
            return services.all.reduce(into: []) { $0.formUnion($1.knownSecrets) }
        }
        return (self as? any SecretHolder).map { [$0.secrets] } ?? []
    }
}

extension Token {
    /// The secret texts.
    var secrets: [String] {
        [value] + [refreshToken].compactMap(\.self)
            + values.filter { Redaction.standard.hides(field: $0.key) && $0.value.isDistinct }.map(\.value)
    }
}
