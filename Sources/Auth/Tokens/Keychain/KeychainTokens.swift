/// A token in a keychain.
///
/// The keychain has no lock, and other processes may use the same item at any time.
struct KeychainTokens: Sendable {
    let item: KeychainItem
    let keychain: any Keychain

    func load() throws -> StoredToken? {
        let (status, data) = keychain.copy(item)
        if status == .itemNotFound { return nil }
        guard status == .success else { throw error(status, "read") }
        if let token = data.flatMap({ StoredToken(bytes: $0) }) { return token }
        // The next use finds no token.
        let removal = keychain.delete(item)
        guard removal == .success || removal == .itemNotFound else { throw error(removal, "remove") }
        throw TokenStoreError(
            .damaged, "the token in the keychain is damaged, and was removed: let the user sign in again")
    }

    func save(_ token: StoredToken) throws {
        let data = try token.bytes
        var status = keychain.update(item, data)
        // Another process may add or remove the item between two functions.
        for _ in 0..<Self.changes where status == .itemNotFound {
            status = keychain.add(item, data)
            if status == .duplicateItem { status = keychain.update(item, data) }
        }
        guard status == .success else { throw error(status, "write") }
    }

    /// The highest number of times that another process may remove the item while it is being saved.
    private static let changes = 3

    func remove() throws {
        let status = keychain.delete(item)
        guard status == .success || status == .itemNotFound else { throw error(status, "remove") }
    }

    private func error(_ status: KeychainStatus, _ action: String) -> TokenStoreError {
        let problem = "cannot \(action) the token in the keychain"
        let reason = "\(keychain.text(of: status) ?? "error") (\(status.rawValue))"
        return switch status {
        case .interactionNotAllowed:
            TokenStoreError(
                .locked,
                "\(problem), because the user has not unlocked the device since its start: try again later (\(reason))")
        case .missingEntitlement:
            TokenStoreError(
                .system,
                "\(problem): add the access group \(item.accessGroup ?? "of the application") to its entitlement for keychain "
                    + "groups (\(reason))")
        default:
            TokenStoreError(.system, "\(problem): \(reason). Check the entitlements of the application")
        }
    }
}
