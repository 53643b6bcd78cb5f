import ChildProcesses
import Foundation
import TangoCache
import Testing

@Suite struct LoadTests {
    @Test(arguments: [0, 900_000])
    func twoProcessesOfEightTasksAgree(_ limit: Int) async throws {
        let folder = ScratchFolder()
        let turns = isLongRun ? 5_000 : 60
        let told = try await offThread {
            let processes = try (0..<2).map { owner in
                try ChildProcess(["load", folder.path, "\(owner)", "2", "8", "5", "0", "\(turns)", "\(limit)"])
            }
            let told = Guarded([[String]](repeating: [], count: processes.count))
            DispatchQueue.concurrentPerform(iterations: processes.count) { index in
                let lines = processes[index].lines()
                processes[index].end()
                told.change { $0[index] = lines }
            }
            return told.value
        }
        var history = History()
        for lines in told {
            #expect(lines.last == "done")
            history.add(lines)
        }
        #expect(history.complaints == [])
        let store = try DiskStore(
            directory: folder.url, limits: CacheLimits(bytes: limit == 0 ? nil : limit))
        try await history.compare(with: store, mayEvict: limit > 0)
        try await store.maintain()
        try StoreInspection.expectOrder(in: folder.url)
        #expect(history.acknowledged > turns)
        await store.close()
    }
}
