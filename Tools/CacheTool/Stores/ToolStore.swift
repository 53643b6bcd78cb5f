import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store as the tool uses it. Everything but the removals and a repair leaves the store as it is.
///
/// There is one for the folders of `DiskStore`. The package `RedisStore` has another.
public protocol ToolStore: Sendable {
    /// Returns all entries. Expired ones are included if the store still has them.
    func everything() -> CacheEntries

    /// Returns the entries under keys, without their bodies.
    nonisolated(nonsending) func items(for keys: [CacheKey]) async throws -> [CacheItem]

    /// Returns a reader of an entry, or nil if there is none.
    nonisolated(nonsending) func reader(for key: CacheKey) async throws -> CacheReader?

    /// Removes the entries under keys, and returns their number.
    nonisolated(nonsending) func removeEntries(for keys: [CacheKey]) async throws -> Int

    /// Removes the entries of a selection, and returns their number.
    nonisolated(nonsending) func removeEntries(in selection: ToolSelection) async throws -> Int

    /// Returns the sizes of the store.
    nonisolated(nonsending) func toolStatistics() async throws -> ToolStatistics

    /// Reads everything, and returns what is damaged. Throws a ``UsageError`` if that makes no sense for the store.
    nonisolated(nonsending) func toolVerification(repair: Bool) async throws -> CacheVerification

    /// Closes the store.
    nonisolated(nonsending) func close() async
}

/// Opens the stores of a tool.
public protocol ToolOpener: Sendable {
    /// The name of the tool in its messages.
    var name: String { get }

    /// A part of the help about the places that can be opened. It may be empty.
    var help: String { get }

    /// Opens the store at a place, or throws. Nothing is created.
    ///
    /// - Parameters:
    ///   - place: The argument of the command: a folder, or an address.
    ///   - repairs: Allows removing damaged data.
    ///   - onEvent: Receives the events of the store.
    nonisolated(nonsending) func open(
        _ place: String, repairs: Bool, onEvent: @escaping @Sendable (CacheEvent) -> Void
    ) async throws -> any ToolStore

    /// Returns the advice for a damaged entry of a place.
    func advice(for place: String) -> String
}

extension ToolOpener {
    public var name: String { Tool.name }
    public var help: String { "" }
}

/// The entries that a command removes.
public enum ToolSelection: Sendable {
    /// All entries.
    case all

    /// The entries that have a tag.
    case tagged(String)

    /// The entries whose key begins with a prefix.
    case prefixed(CacheKey)

    /// The entries written before a date.
    case olderThan(Date)

    /// The entries that have expired at a date.
    case expired(Date)

    /// Returns whether an entry belongs to the selection.
    public func contains(_ item: CacheItem) -> Bool {
        Selection(self).contains(item)
    }
}

extension Selection {
    init(_ selection: ToolSelection) {
        self =
            switch selection {
            case .all: .removal(.all)
            case .tagged(let tag): .removal(.tag(tag))
            case .prefixed(let prefix): .removal(.prefix(prefix))
            case .olderThan(let date): .olderThan(date)
            case .expired(let date): .expired(date)
            }
    }
}
