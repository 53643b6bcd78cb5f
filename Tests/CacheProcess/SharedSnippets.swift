import Foundation
import TangoCache

/// The snippets of the articles that use the store of the application, and one more entry. They run in a separate
/// process, whose cache folder is one of the test.
enum SharedSnippets {
    static func run() async throws {
        try await article()
        try await entry(CacheEntry(body: Data("Ada".utf8)))
        for key in ["theme", "users/1"] as [CacheKey] {
            let body = try await TieredStore.shared.get(key)?.body ?? Data()
            Journal.say("\(key) \(String(decoding: body, as: UTF8.self))")
        }
    }

    private static func article() async throws {
        try await TieredStore.shared.set(CacheEntry(body: Data("dark".utf8)), for: "theme")
    }

    private static func entry(_ entry: CacheEntry) async throws {
        try await TieredStore.shared.set(entry, for: "users/1")
    }
}
