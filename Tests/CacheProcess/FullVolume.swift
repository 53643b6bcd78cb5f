import Foundation
import TangoCache

/// Uses a store on a volume that becomes full, and tells what happens.
struct FullVolume {
    private let folder: URL
    private let isLimited: Bool
    private let ballast: URL

    /// - Parameter isLimited: Whether it is this process that may not write more, and not the volume that is small.
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
        let store = try DiskStore(directory: home, limits: .unlimited, engine: .sqlite, onEvent: { _ in })
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
        Journal.say("kept \(kept.count > 10) lost \(lost)")
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
            directory: home, limits: .unlimited, engine: .sqlite, onEvent: { Journal.say("! \($0)") })
        for name in kept where try await reopened.get(CacheKey(name)) == nil { lost += 1 }
        Journal.say("reopened lost \(lost)")
    }

    /// Changes entries, many at once, on a volume that is full while a reader of another process keeps the log from being
    /// emptied. Goes on when a line comes, by when the reader is there.
    func crowd() async throws {
        signal(SIGXFSZ, SIG_IGN)
        let store = try DiskStore(directory: folder, limits: .unlimited, engine: .sqlite, onEvent: { _ in })
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
        // The one that had to wait for the reader is the measure: the others have not waited for it once more each.
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
