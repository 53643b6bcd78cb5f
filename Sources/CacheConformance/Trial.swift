/// A store that is being checked, with methods that check its results.
struct Trial: Sendable {
    let store: any CacheStore

    /// Creates another store, which may have the same entries.
    let another: @Sendable () async throws -> any CacheStore

    func expect<Value: Equatable>(_ what: String, _ expected: Value, got: Value) throws {
        guard got != expected else { return }
        throw Mismatch(expected: "\(what): \(expected)", got: "\(got)")
    }

    /// Expects that the store returns an entry, or nil, for a key.
    func expect(_ entry: CacheEntry?, at key: CacheKey) async throws {
        try expect(entry, got: try await store.get(key), at: key)
    }

    /// Stores an entry under a key, and expects that the store returns it.
    func roundTrip(_ entry: CacheEntry, at key: CacheKey) async throws {
        try await store.set(entry, for: key)
        try await expect(entry, at: key)
    }

    /// Expects an entry, or nil, as the result of a read.
    func expect(_ entry: CacheEntry?, got: CacheEntry?, at key: CacheKey) throws {
        let place = "under \(Self.name(of: key))"
        switch (entry, got) {
        case (nil, nil): return
        case (nil, let got?): throw Mismatch(expected: "nothing \(place)", got: Self.name(of: got))
        case (let entry?, nil): throw Mismatch(expected: "\(Self.name(of: entry)) \(place)", got: "nothing")
        case (let entry?, let got?): try compare(entry, got: got, place)
        }
    }

    func expectError(_ what: String, _ work: () async throws -> Void) async throws {
        do { try await work() } catch { return }
        throw Mismatch(expected: "an error of \(what)", got: "none")
    }

    /// Expects that exactly these keys are listed, each once.
    func expectListed(_ keys: [CacheKey]) async throws {
        var missing = Set(keys)
        for try await item in store.entries() {
            if missing.remove(item.key) == nil {
                let reason = keys.contains(item.key) ? "listed twice" : "listed too"
                throw Mismatch(
                    expected: "a list of \(keys.count) keys", got: "\(Self.name(of: item.key)) \(reason)")
            }
        }
        if let key = missing.first {
            throw Mismatch(
                expected: "a list of \(keys.count) keys",
                got: "\(missing.count) missing, such as \(Self.name(of: key))")
        }
    }

    private func compare(_ entry: CacheEntry, got: CacheEntry, _ place: String) throws {
        if got.body != entry.body {
            throw Mismatch(
                expected: "\(Self.name(of: entry.body)) \(place)",
                got: Self.name(of: got.body) + Self.difference(entry.body, got.body))
        }
        try expect("the first index of the body \(place)", 0, got: got.body.startIndex)
        try expectText("the metadata \(place)", Self.texts(of: entry.metadata), got: Self.texts(of: got.metadata))
        try expectText("the tags \(place)", Self.texts(of: entry.tags), got: Self.texts(of: got.tags))
        try expect("pinned \(place)", entry.pinned, got: got.pinned)
        try expectTime("the expiry \(place)", entry.expires, got: got.expires)
        if let written = entry.written { try expectTime("the time of writing \(place)", written, got: got.written) }
    }

    /// Expects texts byte for byte, because `==` ignores how accents are composed.
    func expectText(_ what: String, _ expected: [String], got: [String]) throws {
        if expected.map({ Array($0.utf8) }) == got.map({ Array($0.utf8) }) { return }
        throw Mismatch(expected: "\(what): \(Self.name(of: expected))", got: Self.name(of: got))
    }

    /// Returns the names and values of metadata, in order.
    static func texts(of metadata: [String: String]) -> [String] {
        metadata.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.flatMap { [$0.key, $0.value] }
    }

    static func texts(of tags: Set<String>) -> [String] {
        tags.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Expects a time, to the millisecond.
    func expectTime(_ what: String, _ expected: Date?, got: Date?) throws {
        if let expected, let got, abs(expected.timeIntervalSince(got)) < 0.001_001 { return }
        if expected == nil, got == nil { return }
        throw Mismatch(expected: "\(what): \(Self.name(of: expected))", got: Self.name(of: got))
    }
}

extension Trial {
    static func name(of key: CacheKey) -> String {
        key.count > 64 ? "a key of \(key.count) bytes" : "the key “\(key)”"
    }

    private static func name(of entry: CacheEntry) -> String {
        "an entry with \(name(of: entry.body))"
    }

    static func name(of body: Data) -> String {
        let number = Sample.number(of: body).map { ", made from \($0)" }
        return "a body of \(body.count) bytes\(number ?? "")"
    }

    /// Returns texts with all characters outside of ASCII escaped, so that differences are visible.
    private static func name(of texts: [String]) -> String {
        let quoted = texts.map { text in
            "\"\(text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
        }
        return "[\(quoted.joined(separator: ", "))]"
    }

    private static func difference(_ one: Data, _ other: Data) -> String {
        guard one.count == other.count, let index = zip(one, other).enumerated().first(where: { $1.0 != $1.1 }) else {
            return ""
        }
        return ", different from byte \(index.offset) on"
    }

    private static func name(of time: Date?) -> String {
        time.map { "\($0.timeIntervalSince1970) s after 1970" } ?? "none"
    }
}
