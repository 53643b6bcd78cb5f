import Harness
import Testing

@Suite struct HistoryTests {
    private let get = StoredRatios.Key(group: "HTTP, small GET", row: "GET, 64 in flight")
    private let link = StoredRatios.Key(group: "A chain", row: "chain, .immediate")

    @Test func fileHasOneLineForEachRowInOrder() {
        let ratios = StoredRatios(
            version: "1.0.0",
            ratios: [
                get: Spread(lower: 1.234, median: 1.3, upper: 12_345), link: Spread(lower: 0.01, median: 1, upper: 2),
            ])
        #expect(
            ratios.text == """
                A chain\tchain, .immediate\t0.01\t1\t2
                HTTP, small GET\tGET, 64 in flight\t1.23\t1.3\t12300

                """)
    }

    @Test func fileIsReadAgain() throws {
        let ratios = StoredRatios(
            version: "1.0.0",
            ratios: [get: Spread(lower: 1.23, median: 1.3, upper: 1.4), link: Spread(lower: 0.5, median: 1, upper: 2)])
        #expect(try StoredRatios(version: "1.0.0", text: ratios.text) == ratios)
    }

    @Test(arguments: ["a\tb\t1\t2", "a\tb\t1\t2\tx", "a\tb\t1\t2\t3\t4", "a b 1 2 3"])
    func malformedLineIsNamed(line: String) {
        #expect(throws: StoredRatios.Malformed(line: line)) { try StoredRatios(version: "1.0.0", text: line + "\n") }
    }

    @Test func versionsAreInOrder() {
        let versions = ["0.10.0", "0.1.0", "1.0.0", "0.9.1", "0.1.0-unreleased"].map {
            StoredRatios(version: $0, ratios: [:])
        }
        #expect(versions.inOrder.map(\.version) == ["0.1.0-unreleased", "0.1.0", "0.9.1", "0.10.0", "1.0.0"])
    }

    @Test(arguments: [
        // The same, faster, and slower within the noise of the run, of the stored ratios, and of one twentieth.
        (Spread(lower: 1.9, median: 2, upper: 2.1), Spread(lower: 1.9, median: 2, upper: 2.1), false),
        (Spread(lower: 1.0, median: 1.1, upper: 1.2), Spread(lower: 1.9, median: 2, upper: 2.1), false),
        (Spread(lower: 2.4, median: 2.6, upper: 2.9), Spread(lower: 2, median: 2, upper: 2), false),
        (Spread(lower: 2.4, median: 2.4, upper: 2.4), Spread(lower: 1.8, median: 2, upper: 2.3), false),
        (Spread(lower: 2.09, median: 2.09, upper: 2.09), Spread(lower: 2, median: 2, upper: 2), false),
        // Slower beyond each of them.
        (Spread(lower: 2.6, median: 2.8, upper: 3.0), Spread(lower: 2, median: 2, upper: 2), true),
        (Spread(lower: 2.6, median: 2.6, upper: 2.6), Spread(lower: 1.8, median: 2, upper: 2.3), true),
        (Spread(lower: 2.11, median: 2.11, upper: 2.11), Spread(lower: 2, median: 2, upper: 2), true),
    ])
    func ratioIsWorseBeyondTheNoise(measured: Spread, stored: Spread, isWorse: Bool) {
        #expect(measured.isWorse(than: stored) == isWorse)
    }

    @Test func lossesAreTheRowsThatAreWorse() {
        let (good, bad) = (Spread([1, 1, 1]), Spread([2, 2, 2]))
        let other = StoredRatios.Key(group: "A chain", row: "only in one of them")
        let stored = StoredRatios(version: "1.0.0", ratios: [get: good, link: good])
        let losses = stored.losses(in: StoredRatios(version: "now", ratios: [get: bad, link: good, other: bad]))
        #expect(losses.map(\.key) == [get])
        #expect(
            losses.first?.text
                == "error: HTTP, small GET: GET, 64 in flight: 2 times the reference, in half of the rounds "
                + "2 to 2. The ratio of the last version is 1.")
    }
}
