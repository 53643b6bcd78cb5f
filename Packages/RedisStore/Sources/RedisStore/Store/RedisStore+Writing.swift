import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RedisStore {
    public func set(_ entry: CacheEntry, for key: CacheKey) async throws {
        _ = try await store(entry, for: key, moment: "")
    }

    /// Stores an entry. Returns false if it was removed since a moment.
    func store(_ entry: CacheEntry, for key: CacheKey, moment: String) async throws -> Bool {
        try validate(entry)
        var upload = Upload(entry, chunkSize: configuration.chunkSize)
        if entry.body.count > configuration.chunkSize { try await upload.add(entry.body, to: self) }
        return try await commit(upload, for: key, moment: moment, lastPortion: upload.isEmpty ? entry.body : Data())
    }

    public func setMany(_ entries: [(key: CacheKey, entry: CacheEntry)]) async throws {
        for (_, entry) in entries { try validate(entry) }
        for (key, entry) in entries { try await set(entry, for: key) }
    }

    /// Throws if a date is not a number.
    private func validate(_ entry: CacheEntry) throws {
        for date in [entry.written, entry.expires].compactMap(\.self)
        where !date.timeIntervalSinceReferenceDate.isFinite {
            throw CacheError(.invalid, "A date of the entry is not a number. Set written and expires to valid dates.")
        }
    }

    /// Makes an entry visible.
    func commit(_ upload: Upload, for key: CacheKey, moment: String, lastPortion: Data) async throws -> Bool {
        let entry = upload.entry
        let now = Date()
        let tags = StoredEntry.tagBytes(entry.tags.map { names.name(Array($0.utf8)) })
        let isInline = upload.count == 0
        let size = isInline ? lastPortion.count : upload.size
        let checksum = isInline ? lastPortion.withUnsafeBytes { BodyChecksum.of($0) } : upload.checksum
        let head = StoredEntry.head(
            entry, name: names.name(key), written: entry.written ?? now, tags: tags, size: size, checksum: checksum)
        func attempt() async throws -> Int? {
            let deadline = try await server().time(at: .now + configuration.budget)
            return try await run(
                .set,
                [
                    origin, names.name(key), Array("\(life(of: entry, at: now))".utf8), Array(moment.utf8),
                    upload.generation, Array("\(upload.count)".utf8), tags, Array("\(head.count)".utf8),
                    head + (isInline ? lastPortion : Data()), grace, Array("\(entry.tags.count * 2 + 4)".utf8),
                    Array("\(deadline)".utf8), Array("\(configuration.timeToLive.milliseconds)".utf8),
                    Array((entry.pinned ? "1" : "0").utf8),
                ]
            ).number
        }
        var code = try await attempt()
        if code == Self.isTooLate {
            // The reply was in time, so the server's clock may have been set forward.
            try await readClock()
            code = try await attempt()
        }
        switch code {
        case 1: return true
        case 0: return false
        case -1:
            throw CacheError(
                .full, "The server has evicted a part of the body before it was complete. Raise maxmemory.")
        case Self.isTooLate: throw CacheError.overBudget(configuration.budget)
        default: throw Handshake.garbled
        }
    }

    /// The reply of the script if the deadline has passed.
    private static let isTooLate = -2

    /// The time for which chunks of removed bodies remain, in milliseconds.
    private var grace: [UInt8] { Array("\(configuration.readerGrace.milliseconds)".utf8) }

    /// Returns the time for which the server holds an entry, in milliseconds: 0 for ever, -1 if it has expired.
    private func life(of entry: CacheEntry, at now: Date) -> Int64 {
        let longest = configuration.timeToLive.milliseconds
        guard let expires = entry.expires else { return entry.pinned ? 0 : longest }
        let left = expires.timeIntervalSince(now) * 1_000
        if left <= 0 { return -1 }
        // Readers compare the exact date.
        let rounded = left < 1e15 ? Int64(left) + 1 : entry.pinned ? 0 : longest
        return entry.pinned ? rounded : min(rounded, longest)
    }

    public func writer(for key: CacheKey, entry: CacheEntry) async throws -> CacheWriter {
        try validate(entry)
        return CacheWriter(UploadTarget(self, key, entry))
    }

    // MARK: Removing

    public func remove(_ key: CacheKey) async throws {
        _ = try await removing([.key(key)]) { try await removeKeys([key]) }
    }

    public func removeMany(_ keys: [CacheKey]) async throws {
        _ = try await removeEntries(for: keys)
    }

    /// Removes the entries under keys, and returns their number.
    package func removeEntries(for keys: [CacheKey]) async throws -> Int {
        guard !keys.isEmpty else { return 0 }
        return try await removing(keys.map { .key($0) }) {
            var count = 0
            var rest = keys[...]
            while !rest.isEmpty {
                count += try await removeKeys(Array(rest.prefix(Reads.limit)))
                rest = rest.dropFirst(Reads.limit)
            }
            return count
        }
    }

    func removeKeys(_ keys: [CacheKey]) async throws -> Int {
        let reply = try await run(.remove, [origin, grace] + keys.map { names.name($0) })
        guard let count = reply.number else { throw Handshake.garbled }
        return count
    }

    @discardableResult
    public func remove(tag: String) async throws -> Int {
        let bytes = Array(tag.utf8)
        let name = names.name(bytes)
        return try await removing([.tag(bytes)]) { try await removeRange("t", name, IndexRange(tag: name)) }
    }

    @discardableResult
    public func remove(prefix: CacheKey) async throws -> Int {
        let name = names.name(prefix)
        return try await removing([.prefix(prefix)]) { try await removeRange("p", name, IndexRange(prefix: name)) }
    }

    /// Removes entries in parts, so that the server is never busy for long.
    func removeRange(_ kind: String, _ name: [UInt8], _ range: IndexRange) async throws -> Int {
        var count = 0
        var place = range.start
        while !place.isEmpty {
            let reply = try await run(
                .removeRange, [origin, grace, Array(kind.utf8), name, place, range.end, Array("500".utf8)])
            guard let parts = reply.parts, parts.count == 2, let number = parts[0].number, let next = parts[1].data
            else { throw Handshake.garbled }
            count += number
            place = Array(next)
        }
        return count
    }

    public func removeAll(progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        try await removing([.all]) { try await clear(progress) }
    }

    /// Makes all entries invalid at once, and then removes them in parts.
    func clear(_ progress: @escaping @Sendable (CacheProgress) -> Void) async throws {
        let reply = try await run(.clear, [origin])
        guard let parts = reply.parts, parts.count == 2, let former = parts[0].data, let total = parts[1].number else {
            throw Handshake.garbled
        }
        var removed = 0
        while true {
            let reply = try await run(.discard, [grace, Array(former), Array("500".utf8)])
            guard let parts = reply.parts, parts.count == 2, let count = parts[0].number else {
                throw Handshake.garbled
            }
            removed += count
            if parts[1].number != 0 { break }
            progress(CacheProgress(removed: removed, total: max(removed, total)))
        }
        progress(CacheProgress(removed: removed, total: removed))
    }

    /// Removes entries that became invalid because the server has evicted the index or was replaced. They expire by
    /// themselves, except for pinned ones. The store calls SCAN, so run it seldom on a large server.
    public func maintain() async throws {
        var place = Array("0".utf8)
        repeat {
            var commands = Commands()
            let pattern = names.base.flatMap { #"*?[]\"#.utf8.contains($0) ? [UInt8(ascii: #"\"#), $0] : [$0] }
            commands.add([
                Array("SCAN".utf8), place, Array("MATCH".utf8), pattern + Array("e*".utf8), Array("COUNT".utf8),
                Array("500".utf8),
            ])
            guard let parts = try await perform(commands).first?.parts, parts.count == 2, let next = parts[0].data,
                let found = parts[1].parts?.compactMap(\.data)
            else { throw Handshake.garbled }
            if !found.isEmpty { _ = try await run(.discard, [grace, [], Array("0".utf8)] + found.map { Array($0) }) }
            place = Array(next)
        } while place != Array("0".utf8)
    }
}
