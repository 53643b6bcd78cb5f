import TangoPromise
import Testing

@Suite struct SmokeTests {
    @Test func aChainDeliversItsValue() async throws {
        #expect(try await Promise(1).next { $0 + 1 }.next { Promise("\($0)") }.value == "2")
    }
}
