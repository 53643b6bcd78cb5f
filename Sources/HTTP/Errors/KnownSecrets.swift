import Synchronization

/// The secrets that an authenticator has. A redaction that refers to them replaces them before any request carries them.
///
/// The redaction of a client is made before the tokens of its user are issued. It therefore refers to this object, and not to
/// the texts.
package final class KnownSecrets: Sendable {
    private struct State: ~Copyable {
        var texts: [ExactString] = []
        var changes = 0
    }

    /// The highest number of texts. Of more, the oldest are forgotten.
    private static let limit = 24

    private let state = Mutex(State())

    /// Creates the secrets of an authenticator. Texts that are too short to be found reliably are left out.
    package init(_ texts: [String] = []) {
        add(texts)
    }

    package func add(_ texts: [String]) {
        let texts = texts.filter { $0.utf8.count >= SecretSearch.shortest }.map(ExactString.init)
        state.withLock { state in
            let new = texts.filter { !state.texts.contains($0) }
            guard !new.isEmpty else { return }
            state.texts = (state.texts + new).suffix(Self.limit)
            state.changes += 1
        }
    }

    var texts: [ExactString] { state.withLock { $0.texts } }

    /// The number of changes so far.
    var changes: Int { state.withLock { $0.changes } }
}

extension KnownSecrets: Hashable {
    package static func == (left: KnownSecrets, right: KnownSecrets) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
