/// The functions of a keychain for passwords, as those of Apple's Security framework are documented. They may block.
protocol Keychain: Sendable {
    /// Returns the data of an item, as `SecItemCopyMatching` does.
    func copy(_ item: KeychainItem) -> (status: KeychainStatus, data: Data?)
    /// Adds an item, as `SecItemAdd` does. An item that exists stays, and the status is ``KeychainStatus/duplicateItem``.
    func add(_ item: KeychainItem, _ data: Data) -> KeychainStatus
    /// Replaces the data of an item, as `SecItemUpdate` does.
    func update(_ item: KeychainItem, _ data: Data) -> KeychainStatus
    /// Removes an item, as `SecItemDelete` does.
    func delete(_ item: KeychainItem) -> KeychainStatus
    /// Returns the text of the system for a status; nil if it has none.
    func text(of status: KeychainStatus) -> String?
}

/// The attributes that identify an item.
struct KeychainItem: Hashable, Sendable {
    let service: String
    let account: String
    /// The group of applications that share the item. A search without a group finds the items of all groups.
    let accessGroup: String?
}

/// The result of a function of a keychain: an `OSStatus`.
struct KeychainStatus: RawRepresentable, Hashable, Sendable {
    let rawValue: Int32

    /// `errSecSuccess`
    static let success = KeychainStatus(rawValue: 0)
    /// `errSecDuplicateItem`
    static let duplicateItem = KeychainStatus(rawValue: -25_299)
    /// `errSecItemNotFound`
    static let itemNotFound = KeychainStatus(rawValue: -25_300)
    /// `errSecInteractionNotAllowed`: the item is encrypted until the user unlocks the device.
    static let interactionNotAllowed = KeychainStatus(rawValue: -25_308)
    /// `errSecMissingEntitlement`
    static let missingEntitlement = KeychainStatus(rawValue: -34_018)
}
