import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RedisStore {
    public nonisolated(nonsending) func get(_ key: CacheKey) async throws -> CacheEntry? {
        let found = try await head(of: key)
        let entry: CacheEntry? =
            if let found { found.chunks == 0 ? entry(found) : try await whole(found, of: key) } else { nil }
        loop.health.countReads(hits: entry == nil ? 0 : 1, misses: entry == nil ? 1 : 0)
        return entry
    }

    public nonisolated(nonsending) func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        var entries: [CacheEntry?] = []
        entries.reserveCapacity(keys.count)
        while entries.count < keys.count {
            let part = keys[entries.count..<min(keys.count, entries.count + Reads.limit)]
            let owed = state.withLock { $0.owed }
            let entryNames = part.map { names.name($0) }
            let found = try await reads.read(entryNames)
            let check = check(found, since: owed)
            for (position, name) in entryNames.enumerated() {
                let key = part[part.startIndex + position]
                guard let head = head(in: found, at: position, key, name, check) else {
                    entries.append(nil)
                    continue
                }
                entries.append(head.chunks == 0 ? entry(head) : try await whole(head, of: key))
            }
        }
        let hits = entries.count { $0 != nil }
        loop.health.countReads(hits: hits, misses: entries.count - hits)
        return entries
    }

    /// Returns the valid entry under a key. A large body is not read yet.
    private nonisolated(nonsending) func head(of key: CacheKey) async throws -> StoredEntry? {
        let owed = state.withLock { $0.owed }
        let name = names.name(key)
        let place = try await reads.read(name)
        return head(in: place.found, at: place.position, key, name, check(place.found, since: owed))
    }

    /// The conditions under which an entry that was read is valid.
    private struct Check {
        /// The number of the index, if it belongs to the server process.
        let incarnation: Incarnation?
        /// The removals that were owed before the read or after it. Those that are repeated meanwhile still count.
        let owed: [Owed]
        let now: Date
    }

    private func check(_ found: Found, since owed: Owed) -> Check {
        let (start, later) = state.withLock { ($0.server?.mark ?? [], $0.owed) }
        return Check(
            incarnation: Incarnation(in: found.mark, after: start),
            owed: owed.isEmpty && later.isEmpty ? [] : [owed, later], now: Date())
    }

    /// Returns a valid entry of a lookup.
    private func head(
        in found: Found, at position: Int, _ key: CacheKey, _ name: [UInt8], _ check: Check
    ) -> StoredEntry? {
        guard let incarnation = check.incarnation else { return nil }
        let damage: String
        switch found.withValue(at: position, { StoredEntry.Reading($0, name: name) }) {
        case .missing: return nil
        case .entry(let entry):
            return entry.incarnation == incarnation && isCurrent(entry, key, check.owed, check.now) ? entry : nil
        case .damaged: damage = "its checksum is wrong"
        case .foreign: damage = "it has another type"
        }
        noteDamage(of: key, damage)
        return nil
    }

    private func isCurrent(_ entry: StoredEntry, _ key: CacheKey, _ owed: [Owed], _ now: Date) -> Bool {
        if let expires = entry.expires, expires <= now { return false }
        return !owed.contains { $0.hides(key, tags: tags(of: entry)) }
    }

    func tags(of entry: StoredEntry) -> Set<String> {
        entry.tags.isEmpty ? [] : Set(entry.tags.map { String(decoding: names.plain($0), as: UTF8.self) })
    }

    private func noteDamage(of key: CacheKey, _ reason: String) {
        loop.health.count(\.damaged)
        report(.damaged(key: key, reason: reason))
    }

    /// Returns an entry whose body has no chunks.
    private func entry(_ found: StoredEntry) -> CacheEntry {
        CacheEntry(
            body: found.body, metadata: found.metadata, expires: found.expires, tags: tags(of: found),
            pinned: found.pinned, written: found.written)
    }

    /// Returns an entry with its body, which is read in chunks. An entry whose chunks were evicted is missing.
    private func whole(_ found: StoredEntry, of key: CacheKey) async throws -> CacheEntry? {
        var found = found
        found.body.reserveCapacity(found.size)
        for number in 0..<found.chunks {
            guard let chunk = try await chunk(number, of: found) else { return nil }
            found.body.append(chunk)
        }
        guard found.body.count == found.size, found.body.withUnsafeBytes({ SipState.hash($0) }) == found.checksum else {
            noteDamage(of: key, "its checksum is wrong")
            return nil
        }
        return entry(found)
    }

    /// Returns a verified chunk of a body, or nil if it is missing.
    func chunk(_ number: Int, of entry: StoredEntry) async throws -> Data? {
        var commands = Commands()
        commands.begin(2, expecting: .string)
        commands.word("GET")
        commands.word(names.chunk(number, of: entry.generation))
        guard let data = try await perform(commands, isBulk: true).first?.data, data.count >= 8 else { return nil }
        let sum = data.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let chunk = Data(data.dropFirst(8))
        return Upload.checksum(of: chunk, number, entry.generation) == sum ? chunk : nil
    }

    // MARK: Streams

    public func reader(for key: CacheKey) async throws -> CacheReader? {
        let entry = try await head(of: key)
        loop.health.countReads(hits: entry == nil ? 0 : 1, misses: entry == nil ? 1 : 0)
        guard let entry else { return nil }
        let rest = ChunkPosition(entry.chunks == 0 ? entry.body : nil)
        return CacheReader(item: item(entry, key)) { [self] in
            switch rest.next(of: entry.chunks) {
            case .portion(let data): return data.isEmpty ? nil : data
            case .end: return nil
            case .chunk(let number):
                if let chunk = try await chunk(number, of: entry) { return chunk }
                throw CacheError(
                    .damaged, "The body was removed while it was read. Read the entry again, or raise readerGrace.")
            }
        }
    }

    func item(_ entry: StoredEntry, _ key: CacheKey) -> CacheItem {
        CacheItem(
            key: key, size: entry.size, written: entry.written, expires: entry.expires, metadata: entry.metadata,
            tags: tags(of: entry), pinned: entry.pinned)
    }

    // MARK: Listing

    public func entries() -> CacheEntries {
        CacheEntries { [self] in try await page(from: Array("[k".utf8)) }
    }

    private func page(from place: [UInt8]) async throws -> CacheEntries.Page {
        let owed = state.withLock { $0.owed }
        let reply = try await run(.page, [place, Array("200".utf8)])
        guard let parts = reply.parts, parts.count == 2, let next = parts[0].data, let list = parts[1].parts else {
            throw Handshake.garbled
        }
        var items: [CacheItem] = []
        for position in stride(from: 0, to: list.count - 1, by: 2) {
            guard let name = list[position].data, let head = list[position + 1].data,
                let entry = StoredEntry(head, name: Array(name), isWhole: false)
            else { continue }
            let key = CacheKey(bytes: names.plain(Array(name)))
            if isCurrent(entry, key, [owed], Date()) { items.append(item(entry, key)) }
        }
        if next.isEmpty { return CacheEntries.Page(items) }
        return CacheEntries.Page(items) { [self] in try await page(from: Array(next)) }
    }

    public func statistics() async throws -> CacheStatistics {
        var statistics = CacheStatistics()
        for try await item in entries() {
            statistics.count += 1
            statistics.bytes += item.size
            if item.pinned {
                statistics.pinnedCount += 1
                statistics.pinnedBytes += item.size
            }
        }
        let health = self.health
        statistics.hits = health.hits
        statistics.misses = health.misses
        statistics.damaged = health.damaged
        return statistics
    }
}
