import Foundation
import TangoCache

/// Changes and reads entries from several tasks at once, and writes a line before and after each change.
///
/// Each task writes its own keys, whose versions only grow, and reads the keys of all tasks.
struct Load: Sendable {
    private static let keys = 6

    private let store: DiskStore
    private let owner: Int
    private let owners: Int
    private let tasks: Int
    private let seed: UInt64
    private let start: Int
    /// The number of changes of each task; nil: until the process is killed.
    private let turns: Int?
    private let evicts: Bool

    /// Arguments: owner, owners, tasks, seed, first version, turns (0: no end), limit in bytes (0: none).
    init(_ folder: URL, _ arguments: [String]) throws {
        let numbers = arguments.prefix(7).compactMap { Int($0) }
        guard numbers.count == 7 else { throw CacheError(.invalid, "load needs seven numbers") }
        owner = numbers[0]
        owners = numbers[1]
        tasks = numbers[2]
        seed = UInt64(numbers[3])
        start = numbers[4]
        turns = numbers[5] == 0 ? nil : numbers[5]
        evicts = numbers[6] != 0
        store = try DiskStore(
            directory: folder, limits: CacheLimits(bytes: evicts ? numbers[6] : nil),
            onEvent: { event in
                switch event {
                case .evicted, .swept: break
                default: Journal.say("! event: \(event)")
                }
            })
    }

    func run() async throws {
        Journal.say("ready")
        try await withThrowingTaskGroup { group in
            for task in 0..<tasks { group.addTask { try await work(task) } }
            try await group.waitForAll()
        }
        Journal.say("done")
    }

    private static func name(_ owner: Int, _ task: Int, _ key: Int) -> String { "\(owner).\(task).\(key)" }

    private func work(_ task: Int) async throws {
        var random = Pseudorandom(seed: seed &+ UInt64(owner * 1_000 + task) &* 7_919)
        var version = start
        /// The versions under the keys of this task. The value is nil for no entry, and absent if it is unknown.
        var own: [String: Int?] = [:]
        var seen: [String: Int] = [:]
        let tag = "\(owner).\(task)"
        var turn = 0
        while turns.map({ turn < $0 }) ?? true {
            turn += 1
            version += 1
            let name = Self.name(owner, task, Int.random(in: 0..<Self.keys, using: &random))
            let key = CacheKey(name)
            switch Int.random(in: 0..<100, using: &random) {
            case ..<35:
                try await Journal.change("set", [(name, version)]) {
                    try await store.set(Payload.entry(name, version, tag: tag), for: key)
                }
                own[name] = .some(version)
            case ..<45:
                try await Journal.change("remove", [(name, version)]) { try await store.remove(key) }
                own[name] = .some(nil)
            case ..<55:
                let names = (0..<3).map { Self.name(owner, task, $0) }
                try await Journal.change("set", names.map { ($0, version) }) {
                    try await store.setMany(names.map { (CacheKey($0), Payload.entry($0, version, tag: tag)) })
                }
                for name in names { own[name] = .some(version) }
            case ..<62:
                try await Journal.change("set", [(name, version)]) {
                    try await stream(Payload.entry(name, version, tag: tag), key, &random).commit()
                }
                own[name] = .some(version)
            case ..<65: _ = try await stream(Payload.entry(name, version, tag: tag), key, &random)
            case ..<67:
                let tagged = (0..<Self.keys).map { Self.name(owner, task, $0) }
                try await Journal.change("remove", tagged.map { ($0, version) }) {
                    _ = try await store.remove(tag: tag)
                }
                for name in tagged { own[name] = .some(nil) }
            case ..<85: try await check(name, own, try await store.get(key))
            default:
                let names = (0..<8).map { _ in
                    Self.name(
                        Int.random(in: 0..<owners, using: &random), Int.random(in: 0..<tasks, using: &random),
                        Int.random(in: 0..<Self.keys, using: &random))
                }
                let entries = try await store.getMany(names.map { CacheKey($0) })
                for (name, entry) in zip(names, entries) {
                    guard let entry else { continue }
                    guard let version = Payload.version(of: entry, for: name) else {
                        return Journal.say("! torn: \(name)")
                    }
                    if version < seen[name] ?? 0 {
                        Journal.say("! \(name) went back from \(seen[name] ?? 0) to \(version)")
                    }
                    seen[name] = version
                }
            }
        }
    }

    private func check(_ name: String, _ own: [String: Int?], _ entry: CacheEntry?) async throws {
        guard let entry else {
            if let known = own[name], let known, !evicts { Journal.say("! lost: \(name) \(known)") }
            return
        }
        guard let version = Payload.version(of: entry, for: name) else { return Journal.say("! torn: \(name)") }
        if let known = own[name], known != version {
            Journal.say("! wrong: \(name) has \(version), not \(known.map { "\($0)" } ?? "nothing")")
        }
    }

    private func stream(_ entry: CacheEntry, _ key: CacheKey, _ random: inout Pseudorandom) async throws -> CacheWriter
    {
        var head = entry
        head.body = Data()
        let writer = try await store.writer(for: key, entry: head)
        var rest = entry.body
        while !rest.isEmpty {
            let count = min(rest.count, Int.random(in: 1...70_000, using: &random))
            try await writer.write(Data(rest.prefix(count)))
            rest = Data(rest.dropFirst(count))
        }
        return writer
    }
}
