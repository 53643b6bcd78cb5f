import Foundation
import RedisStore

/// The servers that `.ci/redis` starts. Without it, the tests that need one are off.
enum RedisServer {
    /// Reads TANGO_REDIS, the address of a running server; nil if there is none.
    static let address = ProcessInfo.processInfo.environment["TANGO_REDIS"]

    static var isThere: Bool { address != nil }

    static let hint = "it needs a Redis server: run .ci/redis swift test --package-path Packages/RedisStore"

    /// Returns the configuration of a store that shares nothing with those of other tests.
    static func configuration(_ name: String = UUID().uuidString) throws -> RedisConfiguration {
        var configuration = try RedisConfiguration(address ?? "redis://127.0.0.1:1")
        configuration.prefix = "test-\(name)"
        // The machine may be busy.
        configuration.budget = .seconds(20)
        return configuration
    }
}

/// The number of times that a test signs a user out, while responses are on their way.
let signOutRounds = ProcessInfo.processInfo.environment["TANGO_LONG"] == "1" ? 2_000 : 250
