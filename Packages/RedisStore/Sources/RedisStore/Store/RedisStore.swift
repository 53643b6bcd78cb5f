import Synchronization
import TangoCHiredis
import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A store on a Redis or Valkey server, shared by many processes and machines.
///
/// ```swift
/// let redis = try RedisStore(RedisConfiguration("redis://cache.internal:6379/0"))
/// let store = TieredStore(memory: MemoryStore(limits: CacheLimits(bytes: 64 << 20)), over: redis)
/// ```
///
/// The store connects in the background. An operation takes at most the configured budget. If the server is slower or
/// gone, operations fail at once until it replies again.
///
/// Removals by tag and by prefix use an index on the server. If the server evicts the index, restarts, or is replaced by a
/// replica, the cache starts empty, because removals may have been lost.
///
/// A removal that fails throws, and is repeated until it succeeds. Until then, this store hides the entries.
public final class RedisStore: CacheStore {
    struct State {
        var server: Handshake.Result?
        var owed = Owed()
        /// The task that repeats removals, as long as some are owed.
        var payer: Task<Void, Never>?
    }

    /// The configuration.
    public let configuration: RedisConfiguration

    let loop: Loop
    let names: Names
    let feed = Feed()
    let reads: Reads
    let state = Mutex(State())
    /// The mark of this store in the feed of changes, so that it ignores its own.
    let origin: [UInt8]
    private let onEvent: @Sendable (CacheEvent) -> Void

    /// Creates a store and begins to connect.
    ///
    /// - Parameters:
    ///   - configuration: The server and the settings.
    ///   - onEvent: Receives damaged entries and failures in the background. If nil, ``CacheEvents/onEvent`` does.
    public init(_ configuration: RedisConfiguration, onEvent: (@Sendable (CacheEvent) -> Void)? = nil) throws {
        if let reason = tango_hiredis_load() {
            throw CacheError(
                .system,
                "hiredis cannot be loaded: \(String(cString: reason)). Install it, on Debian as libhiredis0.14.")
        }
        try configuration.check()
        self.configuration = configuration
        names = Names(configuration)
        origin = (0..<8).map { _ in UInt8.random(in: 33...126) }
        self.onEvent = onEvent ?? { CacheEvents.onEvent($0) }
        let relay = Relay()
        loop = try Loop(configuration, onReady: relay.ready, onFeed: relay.feed)
        reads = Reads(names, loop)
        relay.connect(to: self)
    }

    deinit {
        state.withLock { $0.payer }?.cancel()
        loop.close()
        feed.finish()
    }

    /// The state of the connections, and the counters since the store was opened.
    public var health: RedisHealth { loop.health.value }

    /// Closes the connections. Later calls throw ``CacheError/Code/closed``.
    public func close() {
        loop.close()
        feed.finish()
    }

    func report(_ event: CacheEvent) {
        onEvent(event)
    }

    // MARK: Commands

    /// Sends commands within the budget. A refused command throws, except for keys of the wrong type.
    func perform(_ commands: Commands, isBulk: Bool = false) async throws -> [Reply] {
        let replies = try await loop.perform(commands, within: configuration.budget, isBulk: isBulk)
        for refusal in replies.compactMap(\.refusal) { throw refusal.error }
        return replies
    }

    /// The server, once the store has connected.
    func server() async throws -> Handshake.Result {
        if let server = state.withLock({ $0.server }) { return server }
        _ = try await perform(Commands("PING"))
        guard let server = state.withLock({ $0.server }) else { throw CacheError.unreachable }
        return server
    }

    /// Reads the server's clock again.
    func readClock() async throws {
        let former = try await server()
        guard let reply = try await perform(Commands("TIME")).first else { throw Handshake.garbled }
        let clock = try Handshake.clock(reply)
        state.withLock { state in
            // Another connection may have found another server meanwhile.
            if state.server?.run == former.run { state.server?.clock = clock }
        }
    }

    /// Runs a script. The first argument is the identity of the server.
    func run(_ script: Script, _ arguments: [[UInt8]]) async throws -> Reply {
        let server = try await server()
        func command(_ name: String, _ text: String) -> Commands {
            var commands = Commands()
            commands.begin(arguments.count + 5, expecting: script.shape)
            commands.word(name)
            commands.word(text)
            commands.word("1")
            commands.word(names.base)
            commands.word(server.run)
            for argument in arguments { commands.word(argument) }
            return commands
        }
        var reply = try await perform(command("EVALSHA", server.scripts[script.rawValue])).first ?? .null
        if case .error(let text) = reply, text.hasPrefix("NOSCRIPT") {
            // The scripts were flushed since the store connected.
            reply = try await perform(command("EVAL", script.text)).first ?? .null
        }
        if case .error(let text) = reply { throw Refusal(text: text).error }
        return reply
    }

    // MARK: Removals that failed

    /// Performs a removal. If it fails, it is repeated later, and the entries are hidden until then.
    func removing<Result>(_ removals: [Removal], _ body: () async throws -> Result) async throws -> Result {
        let mark = state.withLock { $0.owed.mark }
        do {
            let result = try await body()
            pay(removals, sentAt: mark)
            return result
        } catch {
            if (error as? CacheError)?.code != .closed {
                state.withLock { state in
                    for removal in removals { state.owed.add(removal) }
                    loop.health.owe(state.owed.count)
                    if state.payer == nil { state.payer = payer(isDueAtOnce: false) }
                }
            }
            throw error
        }
    }

    func connected(to server: Handshake.Result) {
        state.withLock { state in
            state.server = server
            guard !state.owed.isEmpty else { return }
            state.payer?.cancel()
            state.payer = payer(isDueAtOnce: true)
        }
    }

    /// Returns a task that repeats the removals until all have succeeded. The server may refuse them for a while although it
    /// replies, so it pauses after each failure.
    private func payer(isDueAtOnce: Bool) -> Task<Void, Never> {
        Task.detached { [weak self] in
            var backoff = Backoff()
            var isDue = isDueAtOnce
            while true {
                if isDue, await self?.repeatRemovals() != false { return }
                isDue = true
                let pause = backoff.next(random: Double.random(in: 0...1))
                do { try await Task.sleep(for: pause) } catch { return }
            }
        }
    }

    /// Repeats the removals that have failed. Returns false if it must be called again later.
    private func repeatRemovals() async -> Bool {
        while !Task.isCancelled {
            let (next, mark) = state.withLock { state in
                if state.owed.isEmpty { state.payer = nil }
                return (state.owed.removals.first, state.owed.mark)
            }
            guard let next else { return true }
            do {
                try await repeatRemoval(next)
            } catch {
                return (error as? CacheError)?.code == .closed
            }
            pay([next], sentAt: mark)
        }
        return true
    }

    private func pay(_ removals: [Removal], sentAt mark: Int) {
        state.withLock { state in
            guard !state.owed.isEmpty else { return }
            for removal in removals { state.owed.pay(removal, sentAt: mark) }
            loop.health.owe(state.owed.count)
        }
    }

    private func repeatRemoval(_ removal: Removal) async throws {
        switch removal {
        case .key(let key): _ = try await removeKeys([key])
        case .prefix(let prefix): _ = try await removeRange("p", names.name(prefix), .init(prefix: names.name(prefix)))
        case .tag(let tag): _ = try await removeRange("t", names.name(tag), .init(tag: names.name(tag)))
        case .all: try await clear { _ in }
        }
    }
}

/// Passes events of the loop to the store, without retaining it.
private final class Relay: Sendable {
    private struct State {
        weak var store: RedisStore?
        var early: Handshake.Result?
    }

    private let state = Mutex(State())

    func connect(to store: RedisStore) {
        let early = state.withLock { state in
            state.store = store
            return state.early
        }
        if let early { store.connected(to: early) }
    }

    func ready(_ result: Handshake.Result) {
        let store = state.withLock { state in
            state.early = result
            return state.store
        }
        store?.connected(to: result)
    }

    func feed(_ event: Loop.FeedEvent) {
        let store = state.withLock { $0.store }
        store?.followed(event)
    }
}
