import Foundation
import TangoCache
import Testing

@testable import CacheProcess

/// What processes have told about their changes, and so what a store may hold.
struct History: Sendable {
    private struct Change: Hashable {
        var isRemoval: Bool
        var version: Int
    }

    private struct Key {
        /// The last change that was acknowledged.
        var last: Change?
        /// The one that was begun after it.
        var next: Change?
    }

    private var keys: [String: Key] = [:]

    /// How many changes were acknowledged.
    private(set) var acknowledged = 0

    /// What processes have complained of.
    private(set) var complaints: [String] = []

    /// Takes what a process has told.
    mutating func add(_ lines: [String]) {
        for line in lines {
            let words = line.split(separator: " ")
            if line.hasPrefix("!") { complaints.append(line) }
            guard words.count == 4, let version = Int(words[3]) else { continue }
            let change = Change(isRemoval: words[1] == "remove", version: version)
            if words[0] == ">" {
                keys[String(words[2]), default: Key()].next = change
            } else if words[0] == "<" {
                acknowledged += 1
                keys[String(words[2])] = Key(last: change, next: nil)
            }
        }
    }

    /// Compares a store with what was told, and takes what is found as what is there from now on.
    mutating func compare(with store: DiskStore, mayEvict: Bool = false) async throws {
        for (name, key) in keys {
            let entry = try await store.get(CacheKey(name))
            let found = try entry.map { try #require(Payload.version(of: $0, for: name), "\(name) is torn") }
            let allowed = [key.last, key.next].compactMap(\.self).map { $0.isRemoval ? nil : $0.version }
            let isRight = allowed.contains(found) || found == nil && (mayEvict || key.last == nil)
            #expect(isRight, "\(name) has \(found.map(String.init) ?? "nothing") but it should be one of \(allowed)")
            keys[name] = Key(last: Change(isRemoval: found == nil, version: found ?? 0), next: nil)
        }
        for try await item in store.entries() {
            #expect(keys[item.key.text ?? ""] != nil, "\(item.key) is listed, but nobody has set it")
        }
    }
}
