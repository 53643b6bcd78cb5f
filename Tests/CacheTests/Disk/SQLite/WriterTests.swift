import Foundation
import Testing

@testable import TangoCache

@Suite struct WriterTests {
    private let folder: DatabaseFolder

    init() throws {
        folder = try DatabaseFolder()
    }

    private func set(_ engine: DiskStore, _ key: CacheKey, bytes: Int = 10) async throws {
        try await engine.setMany([(key, CacheEntry(body: Data(count: bytes), written: Date()))])
    }

    @Test func oneThatFailsDoesNotStopTheOthers() async throws {
        let engine = try folder.engine(limits: CacheLimits(bytes: 10_000))
        let results = await withTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    do {
                        try await set(engine, "\(number)", bytes: number % 10 == 3 ? 12_000 : 10)
                        return nil as CacheError.Code?
                    } catch {
                        return (error as? CacheError)?.code
                    }
                }
            }
            return await group.reduce(into: [CacheError.Code?]()) { $0.append($1) }
        }
        #expect(results.count { $0 == .tooLarge } == 4)
        #expect(results.count { $0 == nil } == 36)
        #expect(try engine.presentStatistics().count == 36)
        engine.closeFiles()
    }

    @Test func changesBegunBeforeClosingFinishOrFail() async throws {
        for _ in 0..<20 {
            let folder = try DatabaseFolder()
            let engine = try folder.engine()
            let kept = Guarded<Set<Int>>([])
            await withTaskGroup { group in
                for number in 0..<30 {
                    group.addTask {
                        do {
                            try await set(engine, "\(number)", bytes: number.isMultiple(of: 4) ? 20_000 : 10)
                            kept.change { _ = $0.insert(number) }
                        } catch {
                            #expect((error as? CacheError)?.code == .closed)
                        }
                    }
                }
                group.addTask {
                    try? await offThread {
                        engine.closeFiles()
                        // The folder of a closed store may be moved at once.
                        try FileManager.default.moveItem(
                            atPath: folder.place.index, toPath: folder.place.folder + "/moved")
                    }
                }
            }
            await #expect(throws: CacheError.self) { try await set(engine, "late") }
            #expect(!FileManager.default.fileExists(atPath: folder.place.index))
            try FileManager.default.moveItem(atPath: folder.place.folder + "/moved", toPath: folder.place.index)
            let again = try folder.engine()
            for number in kept.value { #expect(try again.load("\(number)") != nil, "\(number) is lost") }
            again.closeFiles()
        }
    }
}
