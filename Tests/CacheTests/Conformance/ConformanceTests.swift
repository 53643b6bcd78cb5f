import CacheConformance
import TangoCache
import Testing

@Suite struct ConformanceTests {
    @Test func aCorrectStorePasses() async throws {
        try await CacheStoreConformance.check { ActorStore() }
    }

    @Test func storesThatShareWhatIsBehindThemPass() async throws {
        let store = ActorStore()
        try await CacheStoreConformance.check { store }
        for try await item in store.entries() { Issue.record("\(item.key) was left behind") }
    }

    @Test func aStoreThatCannotBeMadeEndsTheCheck() async {
        let made = Guarded(0)
        let error = await #expect(throws: CacheError.self) {
            try await CacheStoreConformance.check {
                if made.change({
                    $0 += 1; return $0
                }) == 3 {
                    throw CacheError(.readOnly, "The folder is read-only.")
                }
                return ActorStore()
            }
        }
        #expect(error?.code == .readOnly)
        #expect(made.value == 3)
    }

    @Test func theCheckEndsWithItsTask() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await CacheStoreConformance.check { ActorStore() }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func theReportListsWhatDoesNotHold() async throws {
        let report = await #expect(throws: CacheStoreConformance.Report.self) {
            try await CacheStoreConformance.check { AlteringStore(kept: { entry, _ in entry.pinned = false }) }
        }
        let violations = try #require(report?.violations)
        let pin = try #require(violations.first { $0.rule == "A pin is stored." })
        #expect(pin.expected == "pinned under the key “a”: true")
        #expect(pin.got == "false")
        let description = try #require(report?.description)
        #expect(description.hasPrefix("The store breaks \(violations.count) rules of the contract and follows "))
        #expect(description.contains("\(pin.rule)\n   expected: \(pin.expected)\n   got: \(pin.got)"))
    }

    @Test func anErrorOfTheStoreIsReportedWithTheRule() async throws {
        let report = await #expect(throws: CacheStoreConformance.Report.self) {
            try await CacheStoreConformance.check {
                AlteringStore(key: { key in
                    if key.count == 0 { throw CacheError(.invalid, "A key needs a byte.") }
                    return key
                })
            }
        }
        let violation = try #require(report?.violations.first)
        #expect(violation.rule == "A key may be empty.")
        #expect(violation.expected == "no error")
        #expect(violation.got == "the error invalid: A key needs a byte.")
    }
}
