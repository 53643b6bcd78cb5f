import TangoPromise
import Testing

/// Large values live in a box beside the promise. The promise must live until a value is copied.
@Suite struct LargeValueTests {
    private struct Large: Sendable {
        let texts: [String]
        let numbers: [Int]
        let names: [String: Int]
        let label: String
        let more: [[UInt8]]

        init(_ number: Int) {
            texts = ["text \(number) that does not fit into a word"]
            numbers = [number, number]
            names = ["number \(number)": number]
            label = "label \(number) that does not fit into a word"
            more = [[1], [2]]
        }
    }

    private func make(_ number: Int) async throws -> Large {
        try await Promise.fulfilled(Large(number)).value
    }

    @Test func aValueOutlivesItsPromise() async throws {
        for number in 1...10_000 {
            let large = try await make(number)
            let other = try await Promise { Large(-number) }.value
            #expect(large.numbers == [number, number] && other.numbers == [-number, -number])
            #expect(large.texts.count == 1 && large.names.count == 1 && large.more.count == 2)
        }
    }
}
