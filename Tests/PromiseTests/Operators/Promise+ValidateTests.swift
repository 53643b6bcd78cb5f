import TangoPromise
import Testing

@Suite(.timeLimit(.minutes(20))) struct ValidateTests {
    @Test(arguments: Supply.all)
    func aValueThatIsAcceptedPasses(supply: Supply) async throws {
        #expect(try await supply.value(18) { $0.validate { $0 >= 18 } }.value == 18)
    }

    @Test(arguments: Supply.all)
    func aValueThatIsRefusedRejects(supply: Supply) async {
        let link = supply.value(17) { $0.validate { $0 >= 18 } }
        await #expect(throws: PromiseError.invalid) { try await link.value }
    }

    @Test(arguments: Supply.all)
    func anErrorThatTheConditionThrowsRejects(supply: Supply) async {
        let link = supply.value(17) { $0.validate { _ in throw Mishap.first } }
        await #expect(throws: Mishap.first) { try await link.value }
    }

    @Test(arguments: Supply.all, [Mishap.first as any Error, CancellationError()])
    func everyRejectionSkipsTheCondition(supply: Supply, error: any Error) async {
        let recorder = Recorder<Int>()
        let link = supply.error(error) { source in
            source.validate { value in
                recorder.note(value)
                return true
            }
        }
        await #expect { try await link.value } throws: { "\($0)" == "\(error)" }
        #expect(recorder.events.isEmpty)
    }

    @Test(arguments: Supply.all)
    func theFirstConditionThatFailsDecides(supply: Supply) async {
        let recorder = Recorder<Int>()
        func check(_ number: Int, _ isValid: Bool) -> @Sendable (Int) -> Bool {
            { _ in
                recorder.note(number)
                return isValid
            }
        }
        let link = supply.value(0) { $0.validate(check(1, true)).validate(check(2, false)).validate(check(3, true)) }
        await #expect(throws: PromiseError.invalid) { try await link.value }
        #expect(recorder.events == [1, 2])
    }

    @Test func theConditionRunsWhereTheSourceDoes() async throws {
        let probe = ProbeQueue()
        #expect(try await Promise.fulfilled(1, on: probe.scheduler).validate { _ in probe.isCurrent }.value == 1)
    }
}
