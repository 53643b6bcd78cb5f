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
        private let service: String
        private let account: String
        private let accessGroup: String?

        /// Creates a store.
        ///
        /// - Parameters:
        ///   - service: The name of the item, such as the identifier of the application.
        ///   - account: The name of the user or the server, if the application has several tokens.
        ///   - accessGroup: The group of applications that share the item; nil for the application alone.
        public init(service: String, account: String = "token", accessGroup: String? = nil) {
            self.service = service
            self.account = account
            self.accessGroup = accessGroup
        }

        public func load() throws -> StoredToken? {
            var query = item
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var result: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &result)
            if status == errSecItemNotFound { return nil }
            guard status == errSecSuccess else { throw TokenStoreError(keychain: status, "read") }
            guard let token = (result as? Data).flatMap({ StoredToken(bytes: $0) }) else {
                // The next use finds no token.
                SecItemDelete(item as CFDictionary)
                throw TokenStoreError(
                    .damaged, "the token in the keychain is damaged, and was removed: let the user sign in again")
            }
            return token
        }

        public func save(_ token: StoredToken) async throws {
            let bytes = try token.bytes
            try await onThread { store in
                let values: [String: Any] = [
                    kSecValueData as String: bytes,
                    kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                ]
                var status = SecItemUpdate(store.item as CFDictionary, values as CFDictionary)
                if status == errSecItemNotFound {
                    status = SecItemAdd(store.item.merging(values) { $1 } as CFDictionary, nil)
                }
                guard status == errSecSuccess else { throw TokenStoreError(keychain: status, "write") }
            }
        }

        public func remove() async throws {
            try await onThread { store in
                let status = SecItemDelete(store.item as CFDictionary)
                guard status == errSecSuccess || status == errSecItemNotFound else {
                    throw TokenStoreError(keychain: status, "remove")
                }
            }
        }

        public func exclusively<Value: Sendable>(
            _ body: @Sendable () async throws -> Value
        ) async throws -> Value {
            try await StoreLocks.exclusively(
                .name("keychain \(service.count) \(account.count) \(service) \(account) \(accessGroup ?? "")"), body)
        }

        /// The attributes that identify the item.
        private var item: [String: Any] {
            var item: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
                kSecAttrAccount as String: account,
                // The keychain of iOS, also on macOS.
                kSecUseDataProtectionKeychain as String: true,
            ]
            if let accessGroup { item[kSecAttrAccessGroup as String] = accessGroup }
            return item
        }

        /// Runs a function that blocks on a thread that no tasks share.
        private func onThread(_ work: @escaping @Sendable (KeychainTokenStore) throws -> Void) async throws {
            try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
                DispatchQueue.global().async { continuation.resume(with: Result { try work(self) }) }
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

    extension TokenStoreError {
        fileprivate init(keychain status: OSStatus, _ action: String) {
            let reason = SecCopyErrorMessageString(status, nil).map { $0 as String } ?? "error"
            self.init(
                .system,
                "cannot \(action) the token in the keychain: \(reason) (\(status)). Check the entitlements of the "
                    + "application, and whether the device was unlocked since its start")
        }
    }
#endif
