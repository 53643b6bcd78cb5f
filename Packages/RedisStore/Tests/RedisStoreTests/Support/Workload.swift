import Foundation
import Synchronization
import TangoCache

@testable import RedisStore

/// Operations of several tasks, each with keys of its own, and a check of all results.
///
/// The check allows misses, because a cache may lose entries. It allows no entry that was replaced or removed, and no
/// entry of another key. An operation that throws may have had an effect or not.
struct Workload: Sendable {
    let store: any CacheStore
    let tasks = 16
    private let wrong = Wrong()
    private let seed: UInt64

    init(_ store: any CacheStore, seed: UInt64 = 1) {
        self.store = store
        self.seed = seed
    }

    private final class Wrong: Sendable {
        let list = Mutex<[String]>([])
        let failures = Mutex(0)
        let hits = Mutex(0)
        /// The entries that a read of each key may find, for each task.
        let allowed = Mutex<[Int: [Int: Set<Int>]]>([:])
        let turns = Mutex(0)
    }

    /// The results that a correct store does not have.
    var mistakes: [String] { wrong.list.withLock { $0 } }
    var failures: Int { wrong.failures.withLock { $0 } }
    var hits: Int { wrong.hits.withLock { $0 } }

    func run(_ count: Int) async {
        let first = wrong.turns.withLock { turns in
            defer { turns += count }
            return turns + 1
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask { await run(first..<first + count / tasks, task) }
            }
        }
    }

    private func run(_ turns: Range<Int>, _ task: Int) async {
        var random = Random(state: (seed &* 1_000 &+ UInt64(task)) &* 1_000_003 &+ UInt64(turns.lowerBound))
        var allowed = wrong.allowed.withLock { $0[task] ?? [:] }
        defer { wrong.allowed.withLock { [allowed] in $0[task] = allowed } }
        for turn in turns {
            let number = Int(random.next() % 8)
            let key: CacheKey = "task-\(task)/\(number)"
            do {
                switch random.next() % 10 {
                case 0..<4:
                    if let entry = try await store.get(key) { check(entry, number, task, allowed[number] ?? []) }
                case 4..<7:
                    let isLarge = turn % 50 == 0
                    var body = Data("\(task)/\(number)/\(turn)/".utf8)
                    body.append(Data(repeating: 7, count: isLarge ? 300_000 : Int(random.next() % 500)))
                    allowed[number, default: []].insert(turn)
                    try await store.set(CacheEntry(body: body, tags: ["task-\(task)"]), for: key)
                    allowed[number] = [turn]
                case 7:
                    do {
                        try await store.remove(key)
                    } catch {
                        // The store hides the entry until it has repeated the removal.
                        allowed[number] = []
                        throw error
                    }
                    allowed[number] = []
                case 8 where turn % 7 == 0:
                    allowed = [:]
                    try await store.remove(tag: "task-\(task)")
                default:
                    let keys = (0..<8).map { CacheKey("task-\(task)/\($0)") }
                    for (number, entry) in try await store.getMany(keys).enumerated() {
                        if let entry { check(entry, number, task, allowed[number] ?? []) }
                    }
                }
            } catch {
                wrong.failures.withLock { $0 += 1 }
                await Task.yield()
            }
        }
    }

    private func check(_ entry: CacheEntry, _ number: Int, _ task: Int, _ allowed: Set<Int>) {
        wrong.hits.withLock { $0 += 1 }
        let parts = String(decoding: entry.body.prefix(60), as: UTF8.self).split(separator: "/")
        guard parts.count >= 3, parts[0] == "\(task)", parts[1] == "\(number)", let turn = Int(parts[2]) else {
            return wrong.list.withLock { $0.append("task-\(task)/\(number) has the entry of another key: \(parts)") }
        }
        if !allowed.contains(turn) {
            wrong.list.withLock { $0.append("task-\(task)/\(number) has the old entry \(turn), not \(allowed)") }
        }
    }
}

/// Numbers that are the same in each run.
struct Random {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }
}
