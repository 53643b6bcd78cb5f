import Synchronization

/// Keeps the token of a user between launches.
///
/// ``MemoryTokenStore``, ``FileTokenStore`` and, on Apple platforms, `KeychainTokenStore` are stores of the library.
public protocol TokenStore: Sendable {
    /// Returns the stored credentials; nil if there are none. Called at the first use and before each token request: it
    /// should take little time.
    func load() throws -> StoredToken?
    /// Stores credentials in place of those before. Returns once they survive the end of the process.
    func save(_ token: StoredToken) async throws
    /// Removes the credentials.
    func remove() async throws
    /// Runs a function while no other process runs one for the same store.
    ///
    /// Processes that share a store request one token together: the second one finds the token of the first.
    ///
    /// By default, it excludes the functions of this process only. An object is a store of its own; all values of one type
    /// count as the same store. A function that has waited for a minute fails with ``TokenStoreError/Code/busy``.
    ///
    /// If you implement it in a module without the feature `NonisolatedNonsendingByDefault`, write the type of `body` as
    /// `nonisolated(nonsending) @Sendable () async throws -> Value`. Otherwise the compiler uses the default without a warning.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

extension TokenStore {
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        let isObject = Self.self is AnyObject.Type
        return try await StoreLocks.exclusively(
            isObject ? .object(ObjectIdentifier(self as AnyObject)) : .name(String(reflecting: Self.self)), body)
    }
}

/// The stores of this process that have no lock of their own, and whose functions exclude each other.
enum StoreLocks {
    enum Key: Hashable, Sendable {
        case object(ObjectIdentifier)
        case name(String)
    }

    private static let taken = Mutex<Set<Key>>([])

    static func exclusively<Value: Sendable>(
        _ key: Key, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        let isTaken = try await LockWait.forRequesting.suspending {
            taken.withLock { $0.insert(key).inserted } ? true : nil
        }
        guard isTaken != nil else {
            throw TokenStoreError(
                .busy, "another token request has used the store for too long: check the source of the tokens")
        }
        defer { taken.withLock { _ = $0.remove(key) } }
        return try await body()
    }
}

/// A token, and the user that it belongs to.
public struct StoredToken: Codable, Hashable, Sendable {
    /// The token.
    public var token: Token
    /// A random text that stays the same until the user signs out. Cached responses belong to it.
    public var identity: String

    /// Creates a value to store.
    public init(token: Token, identity: String) {
        self.token = token
        self.identity = identity
    }
}

extension StoredToken: DescribedOnly {
    /// The token without its secrets.
    public var description: String { "stored \(token)" }
}
