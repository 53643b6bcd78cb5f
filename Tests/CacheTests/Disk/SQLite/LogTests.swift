import Foundation
import Testing

@testable import TangoCache

@Suite struct LogTests {
    private let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    @Test func theLogStaysBoundedWhileOthersRead() async throws {
        let engine = try folder.engine()
        let isDone = Guarded(false)
        let longest = Guarded(0)
        let turns = isLongRun ? 60_000 : 800
        try await withThrowingTaskGroup { group in
            for task in 0..<3 {
                group.addTask {
                    var number = task
                    while !isDone.value {
                        number += 7
                        _ = try engine.loadMany((0..<20).map { "\((number + $0) % 50)" })
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                defer { isDone.change { $0 = true } }
                for number in 0..<turns {
                    let entry = CacheEntry(body: Data(repeating: UInt8(number % 251), count: 12_000), written: Date())
                    try await engine.setMany([("\(number % 50)", entry)])
                    if number.isMultiple(of: 100) {
                        let size = FileStatus(of: folder.place.database + "-wal")?.size ?? 0
                        longest.change { $0 = max($0, size) }
                    }
                }
            }
            try await group.waitForAll()
        }
        print("\(turns) changes of 12 KB beside three readers: the log was at most \(longest.value >> 20) MB long")
        #expect(longest.value < 80 << 20)
        engine.closeFiles()
        #expect(FileStatus(of: folder.place.database + "-wal")?.size == 0)
    }

    /// For example, a reader is opened while another process closes the database.
    @Test func readersWaitForALockOnTheDatabase() async throws {
        let stop = Guarded(false)
        try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    try await offThread {
                        while !stop.value {
                            let engine = try folder.engine()
                            _ = try engine.load("a")
                            engine.closeFiles()
                        }
                    }
                }
            }
            group.addTask {
                defer { stop.change { $0 = true } }
                for number in 0..<(isLongRun ? 1_000 : 25) {
                    let engine = try folder.engine()
                    try await engine.setMany([("\(number)", CacheEntry(body: Data(count: 10), written: Date()))])
                    #expect(try engine.load("\(number)") != nil)
                    if number.isMultiple(of: 10) { _ = try await engine.remove(.all) }
                    engine.closeFiles()
                }
            }
            try await group.waitForAll()
        }
    }
}
