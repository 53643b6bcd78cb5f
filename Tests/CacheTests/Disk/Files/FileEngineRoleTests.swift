import Foundation
import Testing

@testable import TangoCache

@Suite struct FileEngineRoleTests {
    @Test(arguments: [false, true]) func aGuestFindsAStoreOrMakesNone(_ repairs: Bool) throws {
        let bench = try FileBench()
        let error = #expect(throws: CacheError.self) { try bench.engine(role: .guest(repairs: repairs)) }
        #expect(error?.code == .invalid)
        #expect(error?.message.contains(bench.folder.file("cache")) == true)
        #expect(bench.files == [])
        _ = try bench.engine()
        #expect(try bench.engine(role: .guest(repairs: repairs)).get("a") == nil)
    }

    @Test(arguments: [false, true]) func aGuestChangesNothingByLooking(_ repairs: Bool) async throws {
        let bench = try FileBench()
        let owner = try bench.engine()
        var expired = bench.entry(1)
        expired.expires = bench.now
        try await owner.set([(key: "a", entry: bench.entry(10)), (key: "expired", entry: expired)])
        let writer = CacheWriter(try owner.writer(for: "film", entry: bench.entry(10)))
        bench.advance(by: 1_000_000)
        let (files, time) = (bench.files, try FileSystem().status(bench.path("a"))?.modified)

        let guest = try bench.engine(CacheLimits(bytes: 1, count: 1), role: .guest(repairs: repairs))
        #expect(try guest.get("a")?.body.count == 10)
        #expect(try guest.get("expired") == nil)
        #expect(try guest.reader(for: "a") != nil)
        #expect(try guest.reader(for: "expired") == nil)
        #expect(try await guest.keys() == ["a"])
        #expect(try guest.fill().count == 2)
        try await guest.maintain()
        _ = try await guest.inspect()
        _ = try await guest.verify(repair: false) { _, _ in }
        #expect(bench.files == files)
        #expect(try FileSystem().status(bench.path("a"))?.modified == time)
        #expect(bench.events.isEmpty)
        writer.abandon()
    }

    @Test func onlyAGuestWhoRepairsRemovesDamage() async throws {
        let bench = try FileBench()
        try await bench.engine().set([
            (key: "a", entry: bench.entry(10)), (key: "b", entry: bench.entry(10)),
            (key: "film", entry: bench.entry(700_000)),
        ])
        try bench.damage("a", at: 60)
        try bench.damage("b", at: 60)
        try bench.damage("film", at: 600_000)
        let files = bench.files
        for repairs in [false, true] {
            let guest = try bench.engine(role: .guest(repairs: repairs))
            #expect(try guest.get("a") == nil)
            #expect(try await guest.keys() == ["film"])
            let reader = try #require(try guest.reader(for: "film"))
            await #expect(throws: CacheError.self) { for try await _ in reader {} }
            if !repairs { #expect(bench.files == files) }
        }
        #expect(try bench.engine().fill().count == 0)
    }

    @Test func aGuestRemovesWhatItIsAskedTo() async throws {
        let bench = try FileBench()
        try await bench.engine().set((1...5).map { (key: CacheKey("\($0)"), entry: bench.entry($0)) })
        let guest = try bench.engine(role: .guest(repairs: false))
        #expect(try await guest.remove(["1"]) == 1)
        #expect(try await guest.remove(["2", "9"]) == 1)
        #expect(try await guest.keys() == ["3", "4", "5"])
    }
}
