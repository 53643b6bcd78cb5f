import Foundation
import Synchronization
import Testing

@testable import TangoAuth
@testable import TestSupport

/// Tokens in a keychain, which is in memory here and follows the documentation of the system's.
@Suite(.timeLimit(.minutes(20)))
struct KeychainTokensTests {
    private let keychain = MemoryKeychain()
    private let token = StoredToken(token: Token("access-1", refreshToken: "refresh-1"), identity: "ada")

    private func tokens(account: String = "token", accessGroup: String? = nil) -> KeychainTokens {
        KeychainTokens(
            item: KeychainItem(service: "com.example.app", account: account, accessGroup: accessGroup),
            keychain: keychain)
    }

    private func code(_ work: () throws -> Void) -> TokenStoreError.Code? {
        do {
            try work()
            return nil
        } catch {
            return (error as? TokenStoreError)?.code
        }
    }

    @Test func tokenIsSavedReplacedAndRemoved() throws {
        #expect(try tokens().load() == nil)
        try tokens().save(token)
        #expect(try tokens().load() == token)
        var other = token
        other.token = Token("access-2")
        try tokens().save(other)
        #expect(try tokens().load() == other)
        #expect(keychain.count == 1)
        try tokens().remove()
        #expect(try tokens().load() == nil)
        try tokens().remove()
    }

    @Test func accountsAndGroupsAreApart() throws {
        try tokens(account: "a").save(token)
        #expect(try tokens(account: "b").load() == nil)
        keychain.groups = ["group"]
        try tokens(account: "b", accessGroup: "group").save(token)
        #expect(try tokens(account: "b", accessGroup: "group").load() == token)
        #expect(try tokens(account: "a", accessGroup: "group").load() == nil)
        #expect(keychain.count == 2)
    }

    /// Another process adds the item after the update has found none.
    @Test func itemOfAnotherProcessIsReplaced() throws {
        let tokens = tokens()
        keychain.beforeAdding = { $0.put(tokens.item, Data("other".utf8)) }
        try tokens.save(token)
        #expect(try tokens.load() == token)
        #expect(keychain.calls == ["update", "add", "update", "copy"])
    }

    /// Another process adds the item, and removes it again before it is replaced.
    @Test func itemThatComesAndGoesIsAddedAtLast() throws {
        let tokens = tokens()
        keychain.beforeAdding = { keychain in
            keychain.put(tokens.item, Data("other".utf8))
            keychain.beforeUpdating = { $0.put(tokens.item, nil) }
        }
        try tokens.save(token)
        #expect(try tokens.load() == token)
        #expect(keychain.calls == ["update", "add", "update", "add", "copy"])
    }

    @Test func itemThatIsNeverStableIsAnError() throws {
        let item = tokens().item
        keychain.isUnstable = item
        #expect(code { try tokens().save(token) } == .system)
        #expect(keychain.calls.count == 7)
    }

    @Test func lockedDeviceIsAnErrorOfItsOwn() throws {
        try tokens().save(token)
        keychain.isLocked = true
        #expect(code { _ = try tokens().load() } == .locked)
        #expect(code { try tokens().save(token) } == .locked)
        let error = #expect(throws: TokenStoreError.self) { try tokens().load() }
        #expect(
            error?.message.contains("try again later (interaction not allowed (-25308))") == true,
            "\(String(describing: error))")
        keychain.isLocked = false
        #expect(try tokens().load() == token)
    }

    @Test func missingGroupIsNamed() throws {
        let error = #expect(throws: TokenStoreError.self) { try tokens(accessGroup: "other").save(token) }
        #expect(error?.code == .system)
        #expect(error?.message.contains("add the access group other to its entitlement") == true)
    }

    @Test(arguments: ["", "{}", "nonsense", #"{"version":99,"stored":{}}"#])
    func damagedTokenIsRemoved(_ text: String) throws {
        keychain.put(tokens().item, Data(text.utf8))
        #expect(code { _ = try tokens().load() } == .damaged)
        #expect(try tokens().load() == nil)
        #expect(keychain.count == 0)
    }

    @Test func damagedTokenThatStaysIsAnErrorOfTheSystem() throws {
        keychain.put(tokens().item, Data())
        keychain.statusOfRemoval = .interactionNotAllowed
        #expect(code { _ = try tokens().load() } == .locked)
        #expect(code { try tokens().remove() } == .locked)
        #expect(keychain.count == 1)
    }

    @Test func tokenThatCannotBeEncodedChangesNothing() throws {
        try tokens().save(token)
        var endless = token
        endless.token.expires = Date(timeIntervalSince1970: .infinity)
        #expect(code { try tokens().save(endless) } == .system)
        #expect(try tokens().load() == token)
    }

    @Test func errorsHaveNoSecrets() throws {
        keychain.isLocked = true
        let error = #expect(throws: TokenStoreError.self) { try tokens().save(token) }
        #expect(try !#require(error).description.contains("access-1"))
    }
}

/// A keychain in memory.
///
/// It follows the documentation. An item is unique by its service, account and group. An addition without a group uses the first
/// group of the application. A search without a group finds the items of all its groups. Items are unreadable until the device is
/// unlocked.
private final class MemoryKeychain: Keychain {
    private struct State {
        var items: [KeychainItem: Data] = [:]
        var groups: Set<String> = []
        var isLocked = false
        var isUnstable: KeychainItem?
        var statusOfRemoval: KeychainStatus?
        var calls: [String] = []
        var beforeAdding: (@Sendable (MemoryKeychain) -> Void)?
        var beforeUpdating: (@Sendable (MemoryKeychain) -> Void)?
    }

    private static let ownGroup = "app"
    private let state = Mutex(State())

    var count: Int { state.withLock(\.items.count) }
    var calls: [String] { state.withLock(\.calls) }

    var groups: Set<String> {
        get { state.withLock(\.groups) }
        set { state.withLock { $0.groups = newValue } }
    }

    var isLocked: Bool {
        get { state.withLock(\.isLocked) }
        set { state.withLock { $0.isLocked = newValue } }
    }

    /// An item that another process adds before each addition and removes before each update.
    var isUnstable: KeychainItem? {
        get { state.withLock(\.isUnstable) }
        set { state.withLock { $0.isUnstable = newValue } }
    }

    var statusOfRemoval: KeychainStatus? {
        get { state.withLock(\.statusOfRemoval) }
        set { state.withLock { $0.statusOfRemoval = newValue } }
    }

    /// The act of another process before the next addition.
    var beforeAdding: (@Sendable (MemoryKeychain) -> Void)? {
        get { state.withLock(\.beforeAdding) }
        set { state.withLock { $0.beforeAdding = newValue } }
    }

    var beforeUpdating: (@Sendable (MemoryKeychain) -> Void)? {
        get { state.withLock(\.beforeUpdating) }
        set { state.withLock { $0.beforeUpdating = newValue } }
    }

    /// Sets or removes the data of an item, as another process does.
    func put(_ item: KeychainItem, _ data: Data?) {
        state.withLock { $0.items[Self.stored(item)] = data }
    }

    private static func stored(_ item: KeychainItem) -> KeychainItem {
        KeychainItem(service: item.service, account: item.account, accessGroup: item.accessGroup ?? ownGroup)
    }

    private func note(_ name: String, _ item: KeychainItem) -> KeychainStatus? {
        state.withLock { state in
            state.calls.append(name)
            if state.isLocked { return .interactionNotAllowed }
            guard let group = item.accessGroup, !state.groups.contains(group) else { return nil }
            return .missingEntitlement
        }
    }

    private func places(of item: KeychainItem) -> [KeychainItem] {
        state.withLock { state in
            state.items.keys.filter {
                $0.service == item.service && $0.account == item.account
                    && (item.accessGroup == nil || $0.accessGroup == item.accessGroup)
            }
        }
    }

    func copy(_ item: KeychainItem) -> (status: KeychainStatus, data: Data?) {
        if let status = note("copy", item) { return (status, nil) }
        guard let place = places(of: item).first else { return (.itemNotFound, nil) }
        return (.success, state.withLock { $0.items[place] })
    }

    func add(_ item: KeychainItem, _ data: Data) -> KeychainStatus {
        if let status = note("add", item) { return status }
        if isUnstable == item { put(item, Data()) }
        let other = beforeAdding
        beforeAdding = nil
        other?(self)
        return state.withLock { state in
            let place = Self.stored(item)
            if state.items[place] != nil { return .duplicateItem }
            state.items[place] = data
            return .success
        }
    }

    func update(_ item: KeychainItem, _ data: Data) -> KeychainStatus {
        if let status = note("update", item) { return status }
        if isUnstable == item { put(item, nil) }
        let other = beforeUpdating
        beforeUpdating = nil
        other?(self)
        let places = places(of: item)
        if places.isEmpty { return .itemNotFound }
        state.withLock { state in for place in places { state.items[place] = data } }
        return .success
    }

    func delete(_ item: KeychainItem) -> KeychainStatus {
        if let status = note("delete", item) ?? statusOfRemoval { return status }
        let places = places(of: item)
        if places.isEmpty { return .itemNotFound }
        state.withLock { state in for place in places { state.items[place] = nil } }
        return .success
    }

    func text(of status: KeychainStatus) -> String? {
        switch status {
        case .interactionNotAllowed: "interaction not allowed"
        default: nil
        }
    }
}
