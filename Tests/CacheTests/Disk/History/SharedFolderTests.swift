import ChildProcesses
import Foundation
import TangoCache
import Testing

/// The history and the changes of a folder that several processes use.
@Suite(.timeLimit(.minutes(20)))
struct SharedFolderTests {
    private static let ways = ["remove:user/1", "removeTag:user", "removePrefix:user/", "removeAll"]

    private let folder = ScratchFolder()

    private func open() throws -> DiskStore {
        try DiskStore(directory: folder.url, onEvent: { _ in })
    }

    private static let entry = CacheEntry(body: Data("old".utf8), tags: ["user"])

    @Test(arguments: ways)
    func aRemovalByAKilledProcessIsInTheHistory(_ way: String) async throws {
        let store = try open()
        let moment = try #require(try await store.moment())
        let path = folder.path
        let input = try ChildProcess.pipe()
        defer { for end in [input.reading, input.writing] { close(end) } }
        try await offThread {
            let child = try ChildProcess(
                command: [ChildProcess.executable("CacheProcess"), "steps", path, "open", way, "wait"],
                input: input.reading)
            while let line = child.line(), line != "\(way) done" {}
            child.send(SIGKILL)
            child.end()
        }
        #expect(try await store.set(Self.entry, for: "user/1", unlessRemovedSince: moment) == false)
        #expect(try await store.get("user/1") == nil)
        if way != "removeAll" {
            #expect(
                try await store.set(Self.entry, for: "other", unlessRemovedSince: moment) == (way != "removeTag:user"))
        }
        let later = try #require(try await store.moment())
        #expect(try await store.set(Self.entry, for: "user/1", unlessRemovedSince: later))
        await store.close()
    }

    /// Processes store responses that are on their way, and are killed at times, while this one signs out.
    @Test func nothingOlderThanARemovalIsServedAfterIt() async throws {
        let origin = ScratchFolder()
        try FileManager.default.createDirectory(at: origin.url, withIntermediateDirectories: true)
        let file = origin.url.appendingPathComponent("version")
        try Data("0".utf8).write(to: file)
        let path = folder.path
        let start = { @Sendable in
            let child = try ChildProcess(["signing", path, file.path])
            while let line = child.line(), line != "ready" {}
            return child
        }
        let store = try open()
        var children = try await offThread { try [start(), start()] }
        var wrong: [String] = []
        for round in 1...(isLongRun ? 1_000 : 200) {
            try Data("\(round)".utf8).write(to: file, options: .atomic)
            switch round % 4 {
            case 0: try await store.remove(tag: "user")
            case 1: try await store.remove(prefix: "user/")
            case 2: try await store.remove("user/1")
            default: try await store.removeAll()
            }
            // Until another process has stored a response, and then for a time that varies.
            var isServed = false
            var more = Int.random(in: 0..<30)
            while !isServed || more > 0 {
                if let version = try await store.get("user/1")?.metadata["version"].flatMap({ Int($0) }) {
                    isServed = true
                    if version < round { wrong.append("\(version) in round \(round)") }
                }
                more -= 1
            }
            if round % 40 == 0 {
                let killed = children.removeFirst()
                children.append(
                    try await offThread {
                        killed.send(SIGKILL)
                        killed.end()
                        return try start()
                    })
            }
        }
        #expect(wrong == [])
        for child in children { child.send(SIGKILL) }
        await store.close()
    }

    @Test(arguments: ["set:user/1", "remove:user/1", "removeTag:user", "removePrefix:user/", "removeAll"])
    func memoryForgetsTheChangesOfOtherProcesses(_ change: String) async throws {
        let path = folder.path
        let disk = try open()
        let input = try ChildProcess.pipe()
        defer { for end in [input.reading, input.writing] { close(end) } }
        let child = try await offThread {
            let child = try ChildProcess(
                command: [
                    ChildProcess.executable("CacheProcess"), "steps", path, "open", "get:a", "wait", change,
                ], input: input.reading)
            while let line = child.line(), !line.hasPrefix("get") {}
            return child
        }
        let store = TieredStore(over: disk)
        try await store.set(Self.entry, for: "user/1")
        // Another change may make it forget once more.
        _ = try await store.get("user/1")
        write(input.writing, "\n", 1)
        try await offThread { _ = child.end() }
        while store.peek("user/1")?.body == Self.entry.body { await Task.yield() }
        await disk.close()
    }
}
