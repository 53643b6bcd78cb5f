/// Keeps the token of a user between launches.
///
/// ``MemoryTokenStore``, ``FileTokenStore`` and, on Apple platforms, `KeychainTokenStore` are stores of the library.
public protocol TokenStore: Sendable {
    /// Returns the stored credentials; nil if there are none. Called once, at the first use: it should take little time.
    func load() throws -> StoredToken?
    /// Stores credentials in place of those before. Returns once they survive the end of the process.
    func save(_ token: StoredToken) async throws
    /// Removes the credentials.
    func remove() async throws
    /// Runs a function while no other process runs one for the same store.
    ///
    /// Processes that share a store request one token together: the second one finds the token of the first.
    func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value
}

extension TokenStore {
    public func exclusively<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        try await body()
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

extension StoredToken: CustomStringConvertible, CustomReflectable {
    /// The token without its secrets.
    public var description: String { "stored \(token)" }

    public var customMirror: Mirror { Mirror(self, children: ["token": description]) }
}
