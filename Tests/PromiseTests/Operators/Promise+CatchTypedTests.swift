import TangoPromise
import Testing

@Suite(.noHang) struct CatchTypedTests {
    @Test(arguments: Supply.all)
    func anErrorOfTheTypeArrivesWithItsTypeAndStays(supply: Supply) async {
        let recorder = Recorder<Mishap>()
        let link = supply.error(Mishap.numbered(7)) { $0.catch(Mishap.self) { error in recorder.note(error) } }
        await #expect(throws: Mishap.numbered(7)) { try await link.value }
        #expect(recorder.events == [.numbered(7)])
    }

    @Test(arguments: Supply.all)
    func anErrorOfAnotherTypeSkipsTheHandler(supply: Supply) async {
        let recorder = Recorder<String>()
        let error = Reference()
        let link = supply.error(error) { source in
            source.catch(Mishap.self) { _ in recorder.note("mishap") }
                .catch(Reference.self) { _ in recorder.note("own") }
        }
        await #expect { try await link.value } throws: { ($0 as? Reference) === error }
        #expect(recorder.events == ["own"])
    }

    @Test(arguments: Supply.all)
    func aCancellationArrivesOnlyIfItIsTheType(supply: Supply) async {
        let recorder = Recorder<String>()
        let link = supply.error(CancellationError()) { source in
            source.catch(Mishap.self) { _ in recorder.note("mishap") }
                .catch((any Error).self) { _ in recorder.note("any") }
                .catch(CancellationError.self) { _ in recorder.note("cancelled") }
        }
        #expect(await link.isCancelled)
        #expect(recorder.events == ["cancelled"])
    }

    @Test(arguments: Supply.all)
    func aValuePassesBy(supply: Supply) async throws {
        let recorder = Recorder<Mishap>()
        #expect(try await supply.value(1) { $0.catch(Mishap.self) { recorder.note($0) } }.value == 1)
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheHandlerThrowsReplacesTheFirst(supply: Supply) async {
        let link = supply.error(Mishap.first) { $0.catch(Mishap.self) { _ in throw Mishap.second } }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test func eachPlaceIsAvailable() async {
        let recorder = Recorder<String>()
        let probe = ProbeQueue()
        let link = Promise<Int>.rejected(Mishap.first)
            .catch(Mishap.self, on: probe.scheduler) { _ in recorder.note("queue \(probe.isCurrent)") }
            .catch(Mishap.self, on: .main) { _ in
                MainActor.assertIsolated()
                recorder.note("main")
            }
            .catch(Mishap.self, on: .task) { _ in
                await Task.yield()
                recorder.note("task")
            }
            .catch(Reference.self, on: .task) { _ in recorder.note("another type") }
        await #expect(throws: Mishap.first) { try await link.value }
        #expect(recorder.events == ["queue true", "main", "task"])
    }
}
