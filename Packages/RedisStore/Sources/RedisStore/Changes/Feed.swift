import Synchronization
import TangoCache

/// The followers of the changes that other processes make.
final class Feed: Sendable {
    private struct State {
        var sources: [Int: CacheChanges.Source] = [:]
        var last = 0
        var isSubscribed = false
    }

    private let state = Mutex(State())

    /// Adds a follower. It begins with `all` once the feed is subscribed.
    func follow() -> CacheChanges {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        let (changes, source) = CacheChanges.make { [weak self] in
            let former = self?.state.withLock { $0.sources.removeValue(forKey: number) }
            withExtendedLifetime(former) {}
        }
        let isSubscribed = state.withLock { state in
            state.sources[number] = source
            return state.isSubscribed
        }
        if isSubscribed { source.add(.all) }
        return changes
    }

    func setSubscribed(_ isSubscribed: Bool) {
        state.withLock { $0.isSubscribed = isSubscribed }
        if isSubscribed { add(.all) }
    }

    func add(_ change: CacheChange) {
        for source in state.withLock({ Array($0.sources.values) }) { source.add(change) }
    }

    func finish() {
        let sources = state.withLock { state in
            defer { state.sources = [:] }
            return Array(state.sources.values)
        }
        for source in sources { source.finish() }
    }
}

extension RedisStore {
    /// Returns the changes of other stores with the same prefix, from a connection of its own.
    ///
    /// After an interruption of that connection, ``CacheChange/all`` stands for what was missed. So ``TieredStore`` serves
    /// from memory while the server is gone, and forgets everything when it is back.
    public func changes() -> CacheChanges? {
        let changes = feed.follow()
        loop.follow()
        return changes
    }

    func followed(_ event: Loop.FeedEvent) {
        switch event {
        case .subscribed: feed.setSubscribed(true)
        case .interrupted: feed.setSubscribed(false)
        case .message(let bytes):
            guard bytes.count > origin.count, !bytes.starts(with: origin) else { return }
            let name = names.plain(Array(bytes[(origin.count + 1)...]))
            switch bytes[origin.count] {
            case UInt8(ascii: "k"): feed.add(.key(CacheKey(bytes: name)))
            case UInt8(ascii: "p"): feed.add(.prefix(CacheKey(bytes: name)))
            case UInt8(ascii: "t"): feed.add(.tag(String(decoding: name, as: UTF8.self)))
            default: feed.add(.all)
            }
        }
    }

    // MARK: History

    /// True: removals are recorded on the server, for all its clients.
    public var hasHistory: Bool { true }

    public func moment() async throws -> CacheMoment? {
        guard let text = try await run(.moment, []).text else { throw Handshake.garbled }
        return CacheMoment(text)
    }

    @discardableResult
    public func set(
        _ entry: CacheEntry, for key: CacheKey, unlessRemovedSince moment: CacheMoment
    ) async throws -> Bool {
        // Only moments of this kind of store have this form: an incarnation, a colon and a time.
        let bytes = Array(moment.text.utf8)
        guard bytes.count > 17, bytes[16] == UInt8(ascii: ":"), bytes[17...].allSatisfy({ (48...57).contains($0) })
        else {
            throw CacheError(.invalid, "The moment comes from another store. Use one that this store has returned.")
        }
        return try await store(entry, for: key, moment: moment.text)
    }
}
