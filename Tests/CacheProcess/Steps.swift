import Foundation
import TangoCache

/// Uses a store in the steps given as arguments, and writes a line for each step.
///
/// Steps: `open`, `set:KEY`, `get:KEY`, `remove:KEY`, `removeTag:TAG`, `removePrefix:PREFIX`, `removeAll`,
/// `maintain`, `verify`, `close`. `wait` waits for a line of input. `user:ID` changes from root to another user. `starved`
/// opens a store while no file descriptor is free, and must be first.
struct Steps {
    private let folder: URL

    init(_ folder: URL) {
        self.folder = folder
    }

    /// Runs the steps without a free file descriptor, and returns the others.
    ///
    /// They run before the process has any other thread. On Linux, the threads of Dispatch need descriptors and end the
    /// process if they get none.
    func starve(_ steps: [String]) -> [String] {
        let starved = steps.prefix { $0 == "starved" }
        guard !starved.isEmpty else { return steps }
        let taken = Self.takeDescriptors()
        var told: [String] = []
        for step in starved {
            do {
                _ = try DiskStore(directory: folder, onEvent: { _ in })
                told.append("\(step) done")
            } catch {
                told.append("\(step) \((error as? CacheError)?.code.description ?? "\(error)")")
            }
        }
        for descriptor in taken { _ = Foundation.close(descriptor) }
        for line in told { Journal.say(line) }
        return Array(steps.dropFirst(starved.count))
    }

    func run(_ steps: [String]) async {
        var store: DiskStore?
        for step in steps {
            let parts = step.split(separator: ":", maxSplits: 1).map(String.init)
            let argument = parts.count > 1 ? parts[1] : ""
            do {
                switch parts[0] {
                case "open":
                    store = nil
                    store = try DiskStore(directory: folder, onEvent: { _ in })
                    Journal.say("\(step) done")
                case "set":
                    try await store?.set(CacheEntry(body: Data("\(argument)".utf8)), for: CacheKey(argument))
                    Journal.say("\(step) done")
                case "get":
                    let entry = try await store?.get(CacheKey(argument))
                    Journal.say("\(step) \(entry == nil ? "nothing" : "found")")
                case "removeAll":
                    try await store?.removeAll()
                    Journal.say("\(step) done")
                case "remove":
                    try await store?.remove(CacheKey(argument))
                    Journal.say("\(step) done")
                case "removeTag":
                    _ = try await store?.remove(tag: argument)
                    Journal.say("\(step) done")
                case "removePrefix":
                    _ = try await store?.remove(prefix: CacheKey(argument))
                    Journal.say("\(step) done")
                case "wait": _ = readLine()
                case "maintain":
                    try await store?.maintain()
                    Journal.say("\(step) done")
                case "verify":
                    let found = try await store?.verify(repair: true)
                    Journal.say("\(step) \(found?.isSound == true ? "sound" : "damaged")")
                case "close": await store?.close()
                case "user": try Self.become(uid_t(argument) ?? 0)
                default: Journal.say("! unknown step \(step)")
                }
            } catch {
                Journal.say("\(step) \((error as? CacheError)?.code.description ?? "\(error)")")
            }
        }
    }

    private static func takeDescriptors() -> [CInt] {
        var limit = rlimit()
        #if canImport(Darwin)
            getrlimit(RLIMIT_NOFILE, &limit)
            limit.rlim_cur = min(256, limit.rlim_max)
            setrlimit(RLIMIT_NOFILE, &limit)
        #else
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = min(256, limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #endif
        var taken: [CInt] = []
        while true {
            let descriptor = Foundation.open("/dev/null", O_RDONLY)
            guard descriptor >= 0 else { return taken }
            taken.append(descriptor)
        }
    }

    private static func become(_ user: uid_t) throws {
        guard setgid(user) == 0, setuid(user) == 0 else { throw POSIXError(.EPERM) }
    }
}
