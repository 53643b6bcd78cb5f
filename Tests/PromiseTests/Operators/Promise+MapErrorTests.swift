import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct MapErrorTests {
    private struct Wrapped: Error {
        let cause: any Error
    }

    @Test(arguments: Supply.all)
    func anErrorBecomesAnother(supply: Supply) async {
        let link = supply.error(Mishap.first) { $0.mapError { Wrapped(cause: $0) } }
        await #expect {
            try await link.value
        } throws: {
            ($0 as? Wrapped)?.cause as? Mishap == .first
        }
    }

    @Test(arguments: Supply.all)
    func aValuePassesBy(supply: Supply) async throws {
        #expect(try await supply.value(1) { $0.mapError { Wrapped(cause: $0) } }.value == 1)
    }

    @Test(arguments: Supply.all)
    func aCancellationPassesBy(supply: Supply) async {
        #expect(await supply.error(CancellationError()) { $0.mapError { Wrapped(cause: $0) } }.isCancelled)
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheHandlerThrowsRejectsTheLink(supply: Supply) async {
        let link = supply.error(Mishap.first) { source in
            source.mapError { _ -> any Error in throw Mishap.second }
        }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func anErrorMayBecomeACancellation(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(Mishap.first) { source in
            source.mapError { _ in CancellationError() }.catch { recorder.note("\($0)") }
        }
        #expect(await link.isCancelled)
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func mappingsFollowTheOrderOfTheChain(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(Mishap.first) { source in
            source.mapError { _ in Mishap.second }
                .catch { recorder.note("\($0)") }
                .mapError { _ in Mishap.numbered(3) }
        }
        await #expect(throws: Mishap.numbered(3)) { try await link.value }
        #expect(recorder.events == ["second"])
    }

    @Test func theHandlerRunsWhereTheSourceDoes() async {
        let probe = ProbeQueue()
        let link = Promise<Int>.rejected(Mishap.first, on: probe.scheduler).mapError { _ in
            probe.isCurrent ? Mishap.second : Mishap.first
        }
        await #expect(throws: Mishap.second) { try await link.value }
    }
}
