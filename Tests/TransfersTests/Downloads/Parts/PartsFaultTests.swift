import Foundation
import LoopbackServer
import Synchronization
import TangoTransfers
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Downloads in parts that are interrupted at every moment.
@Suite(.timeLimit(.minutes(20)))
struct PartsFaultTests {
    /// One request of the download fails: the first one, or a part.
    @Test(arguments: DownloadFaultTests.cases, [0, 2])
    func fileIsCompleteInTheEnd(_ fault: DownloadFaultTests.Case, _ part: Int) async throws {
        let size = 400_000
        let place = try FileSite(Entity(bytes: size)) {
            $0.retryPolicy = .exponential(attempts: 20, base: .zero)
            $0.retryBudget = .unlimited
            $0.timeouts = Timeouts(connect: .seconds(600), idle: .milliseconds(500))
        }
        let entity = place.entity
        let isDone = Atomic(false)
        place.server.answer("/film.mp4") { request in
            let response = entity.response(to: request)
            let isPart = request.headers["Range"] == (part == 0 ? nil : "bytes=200000-299999")
            guard isPart, !isDone.exchange(true, ordering: .relaxed) else { return response }
            return response.failing(fault.effect, at: fault.moment)
        }
        var file: DownloadedFile?
        for _ in 0..<3 where file == nil { file = try? await place.get(parts: 4).start().value }
        #expect(file?.count == size)
        #expect(try Data(contentsOf: place.target) == generated(size))
        #expect(place.names == ["film.mp4"])
        await place.client.shutdown()
    }

    /// Responses break off at random.
    @Test(arguments: 1...8)
    func anyOrderOfFaultsGivesTheExactBytes(_ seed: Int) async throws {
        let size = 2_000_000
        let place = try FileSite(Entity(bytes: size)) {
            $0.retryPolicy = .exponential(attempts: 3, base: .zero)
            $0.retryBudget = .unlimited
        }
        let entity = place.entity
        let dice = Mutex(SeededNumbers(seed: UInt64(seed)))
        let failures = Atomic(0)
        place.server.answer("/film.mp4") { request in
            let response = entity.response(to: request)
            let number = dice.withLock { Int.random(in: 0..<6, using: &$0) }
            guard number < 4, failures.add(1, ordering: .relaxed).newValue < 40 else { return response }
            switch number {
            case 0: return response.failing(.reset, at: .responseBody)
            case 1: return response.failing(.close, at: .responseHead)
            case 2: return .text("busy", status: 503)
            default: return response.failing(.close, at: .responseBody)
            }
        }
        var file: DownloadedFile?
        for count in 0..<60 where file == nil {
            file = try? await place.get(parts: 1 + (count + seed) % 5).start().value
        }
        #expect(file?.count == size)
        #expect(try Data(contentsOf: place.target) == generated(size))
        #expect(place.names == ["film.mp4"])
    }
}
