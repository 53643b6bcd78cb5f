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
    /// The lock is only an optimisation. If the process that holds it is slow or gone, the others make the entry
    /// themselves after `patience`. An entry that was removed while it was made is returned, but not stored. If the server
    /// cannot be reached, each process makes its own.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - patience: The time for which the other processes wait.
    ///   - make: Makes the entry.
    public func entry(
        for key: CacheKey, makingFor patience: Duration, _ make: () async throws -> CacheEntry
    ) async throws -> CacheEntry {
        let deadline = MonotonicTime.now + patience
        var pause = Duration.milliseconds(5)
        while true {
            let moment: CacheMoment
            let token = (0..<16).map { _ in UInt8.random(in: 33...126) }
            do {
                if let found = try await get(key) { return found }
                guard let present = try await self.moment() else { return try await make() }
                moment = present
                let isLast = deadline <= .now
                if !isLast, !(try await lock(key, token, for: patience)) {
                    try await Task.sleep(for: pause)
                    pause = min(pause * 2, .milliseconds(80))
                    continue
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                return try await make()
            }
            do {
                // Another process may have made it since the first look.
                if let found = try? await get(key) {
                    await unlock(key, token)
                    return found
                }
                let made = try await make()
                _ = try? await set(made, for: key, unlessRemovedSince: moment)
                await unlock(key, token)
                return made
            } catch {
                await unlock(key, token)
                throw error
            }
        }
    }

    private func lock(_ key: CacheKey, _ token: [UInt8], for time: Duration) async throws -> Bool {
        var commands = Commands()
        commands.add([
            Array("SET".utf8), names.lock(names.name(key)), token, Array("NX".utf8), Array("PX".utf8),
            Array("\(max(1, time.milliseconds))".utf8),
        ])
        return try await perform(commands).first?.text == "OK"
    }

    /// Releases a lock, unless it has passed to another process meanwhile.
    private func unlock(_ key: CacheKey, _ token: [UInt8]) async {
        var commands = Commands()
        commands.add([
            Array("EVAL".utf8), Array(Script.unlock.text.utf8), Array("1".utf8), names.lock(names.name(key)), token,
        ])
        _ = try? await perform(commands)
    }
}
