import Synchronization

/// A store that keeps a token until the process ends.
///
/// ```swift
/// let session = TokenAuthenticator(oauth, store: .memory)
/// ```
public final class MemoryTokenStore: TokenStore {
    private let stored: Mutex<StoredToken?>

    /// Creates a store.
    public init(_ token: StoredToken? = nil) {
        stored = Mutex(token)
    }

    public func load() throws -> StoredToken? { stored.withLock { $0 } }

    public func save(_ token: StoredToken) async throws {
        withExtendedLifetime(stored.withLock { replace(&$0, with: token) }) {}
    }

    public func remove() async throws {
        withExtendedLifetime(stored.withLock { replace(&$0, with: nil) }) {}
    }
}

extension MemoryTokenStore: CustomReflectable {
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension TokenStore where Self == MemoryTokenStore {
    /// A new store in memory.
    public static var memory: MemoryTokenStore { MemoryTokenStore() }
}
