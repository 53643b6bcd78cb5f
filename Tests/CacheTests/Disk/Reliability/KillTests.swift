import ChildProcesses
import Foundation
import TangoCache
import Testing

@Suite struct KillTests {
    struct Setting: Sendable, CustomTestStringConvertible {
        var writers: Int
        var limit = 0

        var testDescription: String { "\(writers) writers, limit \(limit)" }
        var limits: CacheLimits { CacheLimits(bytes: limit == 0 ? nil : limit) }
    }

    static let settings = [
        Setting(writers: 1), Setting(writers: 2), Setting(writers: 1, limit: 600_000),
        Setting(writers: 2, limit: 600_000),
    ]

    @Test(arguments: settings)
    func completedWritesSurviveAKill(_ setting: Setting) async throws {
        let folder = ScratchFolder()
        var history = History()
        let rounds = isLongRun ? 200 : 3
        var slowest = Duration.zero
        for round in 1...rounds {
            let told = try await offThread {
                try Self.killed(round, setting, folder.path)
            }
            for lines in told { history.add(lines) }
            #expect(history.complaints == [])
            let clock = ContinuousClock()
            let start = clock.now
            let events = Guarded<[CacheEvent]>([])
            let store = try DiskStore(
                directory: folder.url, limits: setting.limits,
                onEvent: { event in events.change { $0.append(event) } })
            _ = try await store.get("0.0.0")
            slowest = max(slowest, clock.now - start)
            try await history.compare(with: store, mayEvict: setting.limit > 0)
            try await store.maintain()
            try StoreInspection.expectOrder(in: folder.url)
            for case .reset(let reason, _) in events.value { Issue.record("began anew: \(reason)") }
            for case .damaged(let key, let reason) in events.value { Issue.record("damaged: \(key as Any) \(reason)") }
            await store.close()
        }
        let count = history.acknowledged
        #expect(count > 0)
        print("\(rounds) rounds with \(setting.testDescription): \(count) changes acknowledged, opened in \(slowest)")
    }

    /// Lets processes write until they have completed a number of changes, and kills them at that moment.
    private static func killed(_ round: Int, _ setting: Setting, _ folder: String) throws -> [[String]] {
        let processes = try (0..<setting.writers).map { owner in
            try ChildProcess([
                "load", folder, "\(owner)", "\(setting.writers)", "4", "\(Int.random(in: 0...999_999))",
                "\(round * 1_000_000)", "0", "\(setting.limit)",
            ])
        }
        let most = Int.random(in: 1...3) == 1 ? 5 : 150
        let told = Guarded([[String]](repeating: [], count: processes.count))
        DispatchQueue.concurrentPerform(iterations: processes.count) { index in
            var lines: [String] = []
            // A round may end before the first change, but not all rounds.
            var left = Int.random(in: (round == 1 ? 1 : 0)...most)
            while left > 0, let line = processes[index].line() {
                lines.append(line)
                if line.hasPrefix("<") { left -= 1 }
            }
            processes[index].send(SIGKILL)
            lines += processes[index].lines()
            processes[index].end()
            told.change { [lines] in $0[index] = lines }
        }
        return told.value
    }
}
