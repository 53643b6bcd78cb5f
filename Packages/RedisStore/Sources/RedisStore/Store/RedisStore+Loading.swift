import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RedisStore {
    /// Returns the entry under a key, or makes it. Of all processes, one makes it while the others wait for the result.
    ///
    /// ```swift
    /// let page = try await redis.entry(for: "page", makingFor: .seconds(2)) {
    ///     CacheEntry(body: try await render(), tags: ["pages"])
    /// }
    /// ```
    ///
    /// The lock is only an optimisation. If a caller takes longer than `patience` or its process ends, a second caller makes
    /// the entry too. A third one does after three times `patience`, and a fourth one after seven times. So many callers
    /// that begin together make a slow entry a few times only.
    ///
    /// If a caller that has waited for `patience` cannot make or store the entry, the others no longer wait: each makes its
    /// own. An entry that was removed while it was made is returned, but not stored. If the server cannot be reached, each
    /// process makes its own.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - patience: The time in which a caller should have made the entry.
    ///   - make: Makes the entry, on the actor of the caller.
    public nonisolated(nonsending) func entry(
        for key: CacheKey, makingFor patience: Duration, _ make: () async throws -> CacheEntry
    ) async throws -> CacheEntry {
        let start = MonotonicTime.now
        let token = (0..<16).map { _ in UInt8.random(in: 33...126) }
        var pause = Duration.milliseconds(5)
        while true {
            let moment: CacheMoment
            let waited = MonotonicTime.now.duration(since: start)
            let access: Access
            do {
                if let found = try await get(key) { return found }
                guard let present = try await self.moment() else { return try await make() }
                moment = present
                // A caller that has waited for long lets the next one wait for longer. So few make a slow entry.
                access = try await lock(key, token, for: patience + waited)
                if access == .isLocked {
                    try await Task.sleep(for: pause)
                    pause = min(pause * 2, .milliseconds(80))
                    continue
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                return try await make()
            }
            var hold: Hold?
            if access == .holdsLock { hold = Hold(key: key, token: token, time: waited < patience ? nil : patience) }
            do {
                // Another process may have made it since the first look.
                if let found = try? await get(key) {
                    await release(hold, isOver: true)
                    return found
                }
                let made = try await make()
                let isStored = try? await set(made, for: key, unlessRemovedSince: moment)
                let isValid = made.expires.map { $0 > Date() } ?? true
                await release(hold, isOver: isStored == true && isValid)
                return made
            } catch {
                await release(hold, isOver: error is CancellationError)
                throw error
            }
        }
    }

    private enum Access {
        case holdsLock
        /// Another caller makes the entry.
        case isLocked
        /// The entry could not be made or stored, although a caller had waited for it.
        case isGivenUp
    }

    /// The lock of a caller.
    private struct Hold: Sendable {
        let key: CacheKey
        let token: [UInt8]
        /// The time for which the others do not wait if this caller cannot store the entry; nil if they wait anyway.
        let time: Duration?
    }

    private func lock(_ key: CacheKey, _ token: [UInt8], for time: Duration) async throws -> Access {
        let name = names.lock(names.name(key))
        var commands = Commands()
        commands.add([
            Array("SET".utf8), name, token, Array("NX".utf8), Array("PX".utf8),
            Array("\(max(1, time.milliseconds))".utf8),
        ])
        commands.add([Array("GET".utf8), name])
        let replies = try await perform(commands)
        if replies.first?.text == "OK" { return .holdsLock }
        return replies.last?.text == "!" ? .isGivenUp : .isLocked
    }

    /// Releases a lock, unless it has passed to another process meanwhile.
    private func release(_ hold: Hold?, isOver: Bool) async {
        guard let hold else { return }
        let time = isOver ? nil : hold.time.map { "\(max(1, $0.milliseconds))" }
        var commands = Commands()
        commands.add([
            Array("EVAL".utf8), Array(Script.unlock.text.utf8), Array("1".utf8), names.lock(names.name(hold.key)),
            hold.token, Array((time ?? "").utf8),
        ])
        _ = try? await perform(commands)
    }
}
