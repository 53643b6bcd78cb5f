import Foundation
import TangoCache
import Testing

@testable import CacheProcess

/// The changes that processes have reported, and so the possible content of a store.
struct History: Sendable {
    private struct Change: Hashable {
        var isRemoval: Bool
        var version: Int
    }

    private struct Key {
        /// The last completed change.
        var last: Change?
        /// The change begun after it.
        var next: Change?
    }

    private var keys: [String: Key] = [:]

    /// The number of completed changes.
    private(set) var acknowledged = 0

    /// The failures that processes have reported.
    private(set) var complaints: [String] = []

    /// Adds the reports of a process.
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

    /// Compares a store with the reports, and uses its content as the new state.
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
            #expect(keys[item.key.text ?? ""] != nil, "\(item.key) is listed, but was never set")
        }
    }
}
