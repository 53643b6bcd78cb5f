import Foundation
import RedisStore
import Synchronization
import TangoCache

/// A process of a fleet. It serves requests for a user from the cache or from the origin, which is a file with a version.
///
/// It requests all the time. For each line of its input, it makes one more request and prints the version that it served.
/// With `tiered`, it has memory in front, which learns of changes a moment later. Then it requests until it serves the
/// version of the line, and prints the lowest version that it served after that.
@main
struct RedisProcess {
    let store: any CacheStore
    let origin: URL

    static func main() async throws {
        let arguments = CommandLine.arguments
        var configuration = try RedisConfiguration(arguments[1])
        configuration.prefix = arguments[2]
        configuration.budget = .seconds(20)
        let redis = try RedisStore(configuration)
        let isTiered = arguments[4] == "tiered"
        let process = RedisProcess(
            store: isTiered ? TieredStore(over: redis) : redis, origin: URL(fileURLWithPath: arguments[3]))
        for number in 0..<4 {
            Task {
                while true {
                    _ = try await process.request()
                    for _ in 0..<number * 20 { await Task.yield() }
                }
            }
        }
        while let line = readLine(), let version = Int(line) {
            var served = try await process.request()
            if isTiered {
                while served < version { served = try await process.request() }
                for _ in 0..<5 { served = min(served, try await process.request()) }
            }
            FileHandle.standardOutput.write(Data("\(served)\n".utf8))
        }
        exit(0)
    }

    /// Serves the version of the user, from the cache if possible.
    func request() async throws -> Int {
        if let entry = try await store.get("user/1"), let version = Int(String(decoding: entry.body, as: UTF8.self)) {
            return version
        }
        let moment = try await store.moment()
        let body = try Data(contentsOf: origin)
        // The response is on its way.
        for _ in 0..<Int.random(in: 0..<40) { await Task.yield() }
        let entry = CacheEntry(body: body, tags: ["user"])
        if let moment { try await store.set(entry, for: "user/1", unlessRemovedSince: moment) }
        return Int(String(decoding: body, as: UTF8.self)) ?? -1
    }
}
