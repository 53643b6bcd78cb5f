import Foundation
import TangoCache

/// Uses a store on a volume that becomes full, and prints the results.
struct FullVolume {
    private let folder: URL
    private let isLimited: Bool
    private let ballast: URL

    /// - Parameter isLimited: A limit of this process replaces the small volume.
    init(_ folder: URL, isLimited: Bool) {
        self.folder = folder
        self.isLimited = isLimited
        ballast = folder.appendingPathComponent("ballast")
    }

    func run() async throws {
        if isLimited {
            signal(SIGXFSZ, SIG_IGN)
        } else {
            try Data(count: 512 << 10).write(to: ballast)
        }
        let home = folder.appendingPathComponent("store")
        let store = try DiskStore(directory: home, limits: .unlimited, onEvent: { _ in })
        try await store.set(Payload.entry("first", 1), for: "first")
        if isLimited { limit(200 << 10) }
        var kept = ["first"]
        while true {
            let name = "key \(kept.count)"
            do {
                try await store.set(CacheEntry(body: Data(repeating: 7, count: 3_000)), for: CacheKey(name))
                kept.append(name)
            } catch {
                Journal.say("set \(code(error))")
                break
            }
        }
        let large = CacheEntry(body: Data(repeating: 8, count: 8 << 20))
        await tell("large") { try await store.set(large, for: "large") }
        await tell("stream") {
            let writer = try await store.writer(for: "stream")
            for _ in 0..<128 { try await writer.write(Data(count: 64 << 10)) }
            try await writer.commit()
        }
        await tell("many") {
            try await store.setMany((0..<400).map { (CacheKey("m\($0)"), Payload.entry("m\($0)", $0)) })
        }
        var lost = 0
        for name in kept where try await store.get(CacheKey(name)) == nil { lost += 1 }
        Journal.say("stored \(kept.count > 10) lost \(lost)")
        var others = 0
        for try await item in store.entries() where !kept.contains(item.key.text ?? "") { others += 1 }
        Journal.say("others \(others)")
        let names = FileManager.default.enumerator(atPath: home.path)?.compactMap { $0 as? String } ?? []
        Journal.say(
            "left \(names.count { $0.hasPrefix("temporary/") || $0.hasPrefix("bodies/") || $0.hasPrefix("damaged") })")
        if isLimited { limit(1 << 40) } else { try FileManager.default.removeItem(at: ballast) }
        await tell("again") { try await store.set(Payload.entry("again", 1), for: "again") }
        Journal.say("readable \(try await store.get("again") != nil)")
        await store.close()
        let reopened = try DiskStore(
            directory: home, limits: .unlimited, onEvent: { Journal.say("! \($0)") })
        for name in kept where try await reopened.get(CacheKey(name)) == nil { lost += 1 }
        Journal.say("reopened lost \(lost)")
    }

    /// Changes many entries at once on a full volume, while a reader of another process prevents emptying the log.
    /// Continues after a line of input, which shows that the reader has started.
    func crowd() async throws {
        signal(SIGXFSZ, SIG_IGN)
        let store = try DiskStore(directory: folder, limits: .unlimited, onEvent: { _ in })
        for number in 0..<20 { try await store.set(Payload.entry("\(number)", 1), for: CacheKey("\(number)")) }
        Journal.say("ready")
        _ = readLine()
        limit(200 << 10)
        let clock = ContinuousClock()
        var first = Duration.zero
        while first == .zero {
            let start = clock.now
            do {
                try await store.set(CacheEntry(body: Data(repeating: 7, count: 8_000)), for: CacheKey("\(start)"))
            } catch {
                Journal.say("first \(code(error))")
                first = clock.now - start
            }
        }
        let start = clock.now
        let failed = await withTaskGroup { group in
            for number in 0..<300 {
                group.addTask {
                    do {
                        try await store.set(CacheEntry(body: Data(count: 12_000)), for: CacheKey("crowd \(number)"))
                        return 0
                    } catch {
                        return (error as? CacheError)?.code == .diskFull ? 1 : 0
                    }
                }
            }
            return await group.reduce(0, +)
        }
        Journal.say("failed \(failed)")
        // The first change waits for the reader and is the measure. The others must not wait once more each.
        Journal.say(clock.now - start < first * 30 ? "at once" : "after \(clock.now - start), the first after \(first)")
        limit(1 << 40)
        await tell("again") { try await store.set(Payload.entry("again", 1), for: "again") }
        await store.close()
    }

    private func tell(_ what: String, _ work: () async throws -> Void) async {
        do {
            try await work()
            Journal.say("\(what) ok")
        } catch {
            Journal.say("\(what) \(code(error))")
        }
    }

    private func code(_ error: any Error) -> String {
        (error as? CacheError)?.code.description ?? "\(error)"
    }

    private func limit(_ bytes: UInt) {
        var limit = rlimit()
        #if canImport(Darwin)
            getrlimit(RLIMIT_FSIZE, &limit)
            limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
            setrlimit(RLIMIT_FSIZE, &limit)
        #else
            getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            limit.rlim_cur = min(rlim_t(bytes), limit.rlim_max)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        #endif
    }
}
