import TangoPromise
import Testing

@Suite(.noHang) struct FlatMapTests {
    @Test(arguments: Supply.all)
    func theReturnedPromiseIsFollowed(supply: Supply) async throws {
        let (inner, resolver) = Promise<String>.pending()
        let link = supply.value(1) { $0.flatMap { _ in inner } }
        resolver.fulfill("inner")
        #expect(try await link.value == "inner")
    }

    @Test(arguments: Supply.all)
    func theErrorOfTheReturnedPromiseIsPassedOn(supply: Supply) async {
        let link = supply.value(1) { $0.flatMap { _ in Promise<String>.rejected(Mishap.first) } }
        await #expect(throws: Mishap.first) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheClosureThrowsRejectsTheLink(supply: Supply) async {
        let link = supply.value(1) { $0.flatMap { _ -> Promise<Int> in throw Mishap.second } }
        await #expect(throws: Mishap.second) { try await link.value }
    }

    @Test(arguments: Supply.all, [Mishap.first as any Error, CancellationError()])
    func rejectionsSkipTheClosure(supply: Supply, error: any Error) async {
        let recorder = Recorder<Int>()
        let link = supply.error(error) { source in
            source.flatMap { value -> Promise<Int> in
                recorder.note(value)
                return Promise(value)
            }
        }
        await #expect { try await link.value } throws: { "\($0)" == "\(error)" }
        #expect(recorder.events.isEmpty)
    }

    @Test func cancellingTheLinkCancelsTheReturnedPromise() async {
        let recorder = Recorder<String>()
        let (inner, resolver): (Promise<Int>, _) = recorder.pending("inner")
        let link = Promise.fulfilled(1, on: .immediate).flatMap { _ in inner }
        link.cancel()
        #expect(await link.isCancelled)
        #expect(recorder.events == ["inner stopped"])
        withExtendedLifetime(resolver) {}
    }

    @Test func aTaskMayMakeThePromise() async throws {
        let link = Promise(1).flatMap(on: .task) { value in
            await Task.yield()
            return Promise(value + 1)
        }
        #expect(try await link.value == 2)
    }
}
