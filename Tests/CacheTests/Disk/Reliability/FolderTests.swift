import ChildProcesses
import Foundation
import Testing

@testable import CacheProcess
@testable import TangoCache

/// Changes by other programs in the folder of an open store.
@Suite struct FolderTests {
    private let folder = ScratchFolder()

    init() throws {
        try #require(Database.problem == nil)
    }

    private func open() throws -> DiskStore {
        try DiskStore(directory: folder.url, onEvent: { _ in })
    }

    private func use(_ store: DiskStore, _ name: String) async throws {
        for bytes in [10, 40_000] {
            let key = CacheKey("\(name) \(bytes)")
            try await store.set(CacheEntry(body: Data(count: bytes)), for: key)
            #expect(try await store.get(key)?.body.count == bytes)
        }
        let writer = try await store.writer(for: "\(CacheKey(name)) streamed")
        try await writer.write(Data(count: 50_000))
        try await writer.commit()
    }

    @Test(arguments: ["", "/index", "/bodies", "/temporary", "/instances", "/index/entries.sqlite", "/lock"])
    func removedFoldersAreCreatedAgain(_ part: String) async throws {
        let stores = try (0..<2).map { _ in try open() }
        for (index, store) in stores.enumerated() { try await use(store, "before \(index)") }
        try removeAtOnce(folder.path + part)
        for (index, store) in stores.enumerated() {
            try await use(store, "after \(index)")
            try await store.maintain()
        }
        let late = try open()
        try await use(late, "late")
        for index in stores.indices {
            #expect(try await late.get("after \(index) 10") != nil)
            #expect(try await late.get("after \(index) 40000") != nil)
        }
        try await late.maintain()
        for store in stores + [late] { await store.close() }
    }

    /// A store whose lock was removed with the folder takes a new one before it writes a file. Without it, others would take
    /// the file for one that a killed process has left.
    @Test func fileInARemovedFolderIsNotTakenForAnAbandonedOne() async throws {
        let (store, other) = (try open(), try open())
        try removeAtOnce(folder.path)
        try await use(other, "other")
        let writer = try await store.writer(for: "streamed")
        try await writer.write(Data(count: 50_000))
        #expect(try await other.verify(repair: true).orphanedFiles == 0)
        try await writer.commit()
        #expect(try await other.get("streamed")?.body.count == 50_000)
        for store in [store, other] { await store.close() }
    }

    /// A store looks for abandoned files in the folder that is there, so it also reads the rows of that folder.
    @Test func filesOfANewFolderAreNotComparedWithRowsOfAnOldOne() async throws {
        let (store, other) = (try open(), try open())
        #expect(try await other.get("none") == nil)
        try removeAtOnce(folder.path)
        try await use(store, "after")
        await store.close()
        #expect(try await other.verify(repair: true).orphanedFiles == 0)
        #expect(try await other.get("after 40000")?.body.count == 40_000)
        await other.close()
    }

    @Test func twoProcessesGoOnWhenTheFolderIsRemovedAgainAndAgain() async throws {
        let path = folder.path
        let told = try await offThread {
            let processes = try (0..<2).map { owner in
                try ChildProcess(["load", path, "\(owner)", "2", "4", "\(owner)", "0", "150", "1000000000"])
            }
            for process in processes { _ = process.line() }
            for _ in 0..<3 {
                for _ in 0..<40 { _ = processes[0].line() }
                _ = try ChildProcess(command: ["rm", "-rf", path + "/index", path + "/bodies"]).end()
                _ = try ChildProcess(command: ["rm", "-rf", path]).end()
            }
            let told = Guarded<[[String]]>([[], []])
            DispatchQueue.concurrentPerform(iterations: 2) { index in
                let lines = processes[index].lines()
                told.change { $0[index] = lines }
            }
            return told.value
        }
        for lines in told {
            // A change that was in flight when the folder was removed may fail and then end the process. It may leave
            // no damaged or wrong entry.
            for line in lines where line.hasPrefix("! torn") || line.hasPrefix("! wrong") { Issue.record("\(line)") }
        }
        let store = try open()
        try await use(store, "afterwards")
        try await store.maintain()
        try StoreInspection.expectOrder(in: folder.url)
        await store.close()
    }

    @Test func aDatabaseThatIsReplacedIsFoundOut() async throws {
        let store = try open()
        try await use(store, "old")
        let other = ScratchFolder()
        let path = other.path
        #expect(try await offThread { try ChildProcess(["sample", path, "closed"]).lines() } == ["done"])
        let place = Place(folder: folder.path)
        try FileManager.default.moveItem(atPath: place.index, toPath: folder.path + "/former")
        try FileManager.default.copyItem(atPath: Place(folder: path).index, toPath: place.index)
        try await store.set(CacheEntry(body: Data([1])), for: "new")
        #expect(try await store.get("plain")?.body == Specimens.small[0].entry.body)
        #expect(try await store.get("old 10") == nil)
        await store.close()
    }

    /// A process that is stopped during a write delays others only until they give up.
    @Test func aStoppedProcessLosesNothing() async throws {
        let path = folder.path
        for round in 1...(isLongRun ? 30 : 3) {
            let process = try ChildProcess(["load", path, "0", "1", "4", "\(round)", "\(round * 1_000_000)", "0", "0"])
            var lines = try await offThread {
                var lines: [String] = []
                let count = Int.random(in: 20...120)
                while lines.count < count, let line = process.line() { lines.append(line) }
                process.send(SIGSTOP)
                return lines
            }
            let engine = try? DiskStore(directory: folder.url, limits: .unlimited, onEvent: { _ in })
            if let engine {
                engine.connection.wait(upTo: 20)
                do {
                    try await engine.setMany([("mine", CacheEntry(body: Data([1]), written: Date()))])
                    #expect(try engine.load("mine") != nil)
                } catch {
                    #expect((error as? CacheError)?.code == .busy)
                }
                _ = try engine.load("0.0.0")
            }
            process.send(SIGCONT)
            lines += try await offThread {
                var lines: [String] = []
                while lines.count < 40, let line = process.line() { lines.append(line) }
                process.send(SIGKILL)
                lines += process.lines()
                process.end()
                return lines
            }
            engine?.closeFiles()
            var history = History()
            history.add(lines)
            #expect(history.complaints == [])
            let store = try open()
            try await store.remove("mine")
            try await history.compare(with: store)
            try await store.removeAll()
            await store.close()
        }
    }
}
