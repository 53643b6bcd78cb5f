import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RedisStore {
    public func get(_ key: CacheKey) async throws -> CacheEntry? {
        let found = try await reads.read(key) { [self] in try await heads(of: $0) } ?? nil
        let entry = try await whole(found, of: key)
        loop.health.count(entry == nil ? \.misses : \.hits)
        return entry
    }

    public func getMany(_ keys: [CacheKey]) async throws -> [CacheEntry?] {
        var entries: [CacheEntry?] = []
        entries.reserveCapacity(keys.count)
        var rest = keys[...]
        while !rest.isEmpty {
            let part = Array(rest.prefix(Self.keysAtOnce))
            rest = rest.dropFirst(part.count)
            for (key, found) in zip(part, try await heads(of: part)) {
                entries.append(try await whole(found, of: key))
            }
        }
        let hits = entries.count { $0 != nil }
        loop.health.count(\.hits, by: hits)
        loop.health.count(\.misses, by: entries.count - hits)
        return entries
    }

    static let keysAtOnce = 256

    /// Returns the valid entries under keys. A large body is not read yet.
    private func heads(of keys: [CacheKey]) async throws -> [StoredEntry?] {
        var commands = Commands()
        commands.begin(keys.count == 1 ? 2 : keys.count + 1, expecting: keys.count == 1 ? .string : .array)
        commands.word(keys.count == 1 ? "GET" : "MGET")
        let entryNames = keys.map { names.name($0) }
        commands.reserve(entryNames.reduce(64) { $0 + $1.count + names.base.count + 16 })
        for name in entryNames { commands.word(names.base, UInt8(ascii: "e"), name) }
        // The incarnation is read after the entries. If it is still theirs, no removal was lost before they were read.
        commands.begin(4, expecting: .array)
        commands.word("ZRANGE")
        commands.word(names.index)
        commands.word("0")
        commands.word("0")
        // Removals that are repeated while the entries are read still count.
        let owed = state.withLock { $0.owed }
        let replies = try await perform(commands)
        guard replies.count == 2 else { throw Handshake.garbled }
        let values = keys.count == 1 ? [replies[0]] : replies[0].parts ?? []
        guard values.count == keys.count else { throw Handshake.garbled }
        guard let incarnation = incarnation(in: replies[1]) else { return keys.map { _ in nil } }
        let now = Date()
        return keys.indices.map { position in
            let key = keys[position]
            let value = values[position]
            if case .error = value {
                noteDamage(of: key, "it has another type")
                return nil
            }
            guard let data = value.data else { return nil }
            guard let entry = StoredEntry(data, name: entryNames[position]) else {
                noteDamage(of: key, "its checksum is wrong")
                return nil
            }
            guard entry.incarnation == incarnation, isCurrent(entry, key, owed, now) else { return nil }
            return entry
        }
    }

    /// Returns the incarnation of the index, or nil if it belongs to another server process.
    func incarnation(in reply: Reply) -> Incarnation? {
        guard let mark = reply.parts?.first?.data, let run = state.withLock({ $0.server?.run }) else { return nil }
        let start = Array("!\(run):".utf8)
        guard mark.starts(with: start), mark.count == start.count + 16 else { return nil }
        return Array(mark.dropFirst(start.count)).withUnsafeBytes { Incarnation($0) }
    }

    private func isCurrent(_ entry: StoredEntry, _ key: CacheKey, _ owed: Owed, _ now: Date) -> Bool {
        if let expires = entry.expires, expires <= now { return false }
        return owed.isEmpty || !owed.hides(key, tags: tags(of: entry))
    }

    func tags(of entry: StoredEntry) -> Set<String> {
        entry.tags.isEmpty ? [] : Set(entry.tags.map { String(decoding: names.plain($0), as: UTF8.self) })
    }

    private func noteDamage(of key: CacheKey, _ reason: String) {
        loop.health.count(\.damaged)
        report(.damaged(key: key, reason: reason))
    }

    /// Returns an entry with its body, which is read in chunks if it is large. An entry whose chunks were evicted is
    /// missing.
    private func whole(_ found: StoredEntry?, of key: CacheKey) async throws -> CacheEntry? {
        guard let found else { return nil }
        var body = found.body
        if found.chunks > 0 {
            body.reserveCapacity(found.size)
            for number in 0..<found.chunks {
                guard let chunk = try await chunk(number, of: found) else { return nil }
                body.append(chunk)
            }
            guard body.count == found.size, body.withUnsafeBytes({ SipState.hash($0) }) == found.checksum else {
                noteDamage(of: key, "its checksum is wrong")
                return nil
            }
        }
        return CacheEntry(
            body: body, metadata: found.metadata, expires: found.expires, tags: tags(of: found), pinned: found.pinned,
            written: found.written)
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
        let entry = try await heads(of: [key])[0]
        loop.health.count(entry == nil ? \.misses : \.hits)
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
            if isCurrent(entry, key, owed, Date()) { items.append(item(entry, key)) }
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
