#if canImport(Security)
    import Dispatch
    import Foundation
    import Security

    /// A store that keeps a token in the keychain of an Apple platform.
    ///
    /// The token stays on the device, and can be read once the user has unlocked it after a restart. Therefore background
    /// work has it too.
    ///
    /// Applications and extensions that share an access group share the token. The keychain has no lock, so two of
    /// them may request a new token at once. If the server accepts each refresh token only once, use a ``FileTokenStore`` in the
    /// folder of an application group.
    public struct KeychainTokenStore: TokenStore {
        private let tokens: KeychainTokens

        /// Creates a store.
        ///
        /// - Parameters:
        ///   - service: The name of the item, such as the identifier of the application.
        ///   - account: The name of the user or the server, if the application has several tokens.
        ///   - accessGroup: The group of applications that share the item; nil for the application alone.
        public init(service: String, account: String = "token", accessGroup: String? = nil) {
            tokens = KeychainTokens(
                item: KeychainItem(service: service, account: account, accessGroup: accessGroup),
                keychain: SystemKeychain())
        }

        public func load() throws -> StoredToken? { try tokens.load() }

        public func save(_ token: StoredToken) async throws {
            try await onThread { try $0.save(token) }
        }

        public func remove() async throws {
            try await onThread { try $0.remove() }
        }

        public func exclusively<Value: Sendable>(
            _ body: @Sendable () async throws -> Value
        ) async throws -> Value {
            let item = tokens.item
            return try await StoreLocks.exclusively(
                .name(
                    "keychain \(item.service.count) \(item.account.count) \(item.service) \(item.account) "
                        + (item.accessGroup ?? "")), body)
        }

        /// Runs a function that blocks on a thread that no tasks share.
        private func onThread(_ work: @escaping @Sendable (KeychainTokens) throws -> Void) async throws {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                DispatchQueue.global().async { continuation.resume(with: Result { try work(tokens) }) }
            }
        }
    }

    extension TokenStore where Self == KeychainTokenStore {
        /// A store in the keychain.
        public static func keychain(
            service: String, account: String = "token", accessGroup: String? = nil
        ) -> KeychainTokenStore {
            KeychainTokenStore(service: service, account: account, accessGroup: accessGroup)
        }
    }

    /// The keychain of the system.
    private struct SystemKeychain: Keychain {
        func copy(_ item: KeychainItem) -> (status: KeychainStatus, data: Data?) {
            var query = item.attributes
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            return (KeychainStatus(rawValue: status), result as? Data)
        }

        func add(_ item: KeychainItem, _ data: Data) -> KeychainStatus {
            let attributes = item.attributes.merging(Self.values(data)) { $1 }
            return KeychainStatus(rawValue: SecItemAdd(attributes as CFDictionary, nil))
        }

        func update(_ item: KeychainItem, _ data: Data) -> KeychainStatus {
            KeychainStatus(
                rawValue: SecItemUpdate(item.attributes as CFDictionary, Self.values(data) as CFDictionary))
        }

        func delete(_ item: KeychainItem) -> KeychainStatus {
            KeychainStatus(rawValue: SecItemDelete(item.attributes as CFDictionary))
        }

        func text(of status: KeychainStatus) -> String? {
            SecCopyErrorMessageString(status.rawValue, nil).map { $0 as String }
        }

        private static func values(_ data: Data) -> [String: Any] {
            [
                kSecValueData as String: data,
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
        }
    }

    extension KeychainItem {
        fileprivate var attributes: [String: Any] {
            var attributes: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: account,
                // The keychain of iOS, also on macOS.
                kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { attributes[kSecAttrAccessGroup as String] = accessGroup }
            return attributes
        }
    }
#endif
