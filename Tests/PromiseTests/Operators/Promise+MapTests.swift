import TangoPromise
import Testing

@Suite(.noHang) struct MapTests {
    @Test(arguments: Supply.all)
    func theResultOfTheClosureIsTheValue(supply: Supply) async throws {
        #expect(try await supply.value(20) { $0.map { $0 + 1 }.map { $0 * 2 }.map { "\($0)" } }.value == "42")
    }

    @Test(arguments: Supply.all)
    func aReturnedPromiseIsAValueAndIsNotFollowed(supply: Supply) async throws {
        let (inner, resolver) = Promise<Int>.pending()
        let link: Promise<Promise<Int>> = supply.value(1) { $0.map { _ in inner } }
        #expect(try await link.value === inner)
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheClosureThrowsRejectsTheLink(supply: Supply) async {
        let link = supply.value(1) { $0.map { _ -> Int in throw Mishap.second } }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all, [Mishap.first as any Error, CancellationError()])
    func rejectionsSkipTheClosure(supply: Supply, error: any Error) async {
        let recorder = Recorder<Int>()
        let link = supply.error(error) { $0.map { recorder.note($0) } }
        await #expect { try await link.value } throws: { "\($0)" == "\(error)" }
        #expect(recorder.events.isEmpty)
    }

    @Test func cancellingTheLinkCancelsItsTask() async {
        let (started, start) = Promise<Void>.pending()
        let (ended, end) = Promise<Bool>.pending()
        let link = Promise(1).map(on: .task) { _ -> Int in
            start.fulfill()
            while !Task.isCancelled { await Task.yield() }
            end.fulfill(true)
            return 2
        }
        _ = try? await started.value
        link.cancel()
        #expect(await (try? ended.value) == true)
        #expect(await link.isCancelled)
    }
}
