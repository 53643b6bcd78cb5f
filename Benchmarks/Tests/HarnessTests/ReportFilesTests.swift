import Foundation
import Harness
import Testing

@Suite struct ReportFilesTests {
    /// A run of two rows, without the time of any machine.
    private func files() async throws -> ReportFiles {
        let groups = [
            Group(
                "Strings & <things>",
                [.timed("ours", must: 2) { 300 }, .timed("theirs", isComparison: true) { 900 }])
        ]
        var run = Run(groups, against: Reference("R", .timed("R: reference") { 100 }))
        for _ in 0..<3 { try await run.round() }
        var growth = GrowthRun([
            GrowthRow("get", beside: "entries", [1, 100, 10_000]) { _ in 50 },
            GrowthRow("list", beside: "entries", [1, 100, 10_000], growsBecause: "It lists them.") { Double($0) },
        ])
        try await growth.round()
        return ReportFiles(
            Report(run), suites: [ReportFiles.Suite("Texts", groups)], growth: growth.curves,
            history: [StoredRatios(version: "1.0.0", of: run)], circumstances: "Measured here.")
    }

    @Test func pageShowsEachPlotBesideIt() async throws {
        let contents = try await files().contents
        #expect(contents.keys.sorted() == ["README.md", "growth.svg", "history.svg", "ratios-texts.svg"])
        let page = try #require(contents["README.md"])
        for name in contents.keys where name.hasSuffix(".svg") { #expect(page.contains("](\(name))")) }
        #expect(page.contains("Measured here."))
        #expect(page.contains("- list, beside entries: It lists them.\n"))
        #expect(page.contains("  ours          300  300 - 300   3.00   2 ✗"))
    }

    @Test func plotsNeedNoScriptAndNoOtherFile() async throws {
        for (name, text) in try await files().contents where name.hasSuffix(".svg") {
            #expect(text.hasPrefix(#"<svg xmlns="http://www.w3.org/2000/svg" "#))
            #expect(text.hasSuffix("</svg>\n"))
            for word in ["<script", "href", "@import", "url("] { #expect(!text.contains(word)) }
        }
    }

    @Test func ratiosAreAtTheirPlaceOnALogarithmicAxis() async throws {
        let plot = try #require(try await files().contents["ratios-texts.svg"])
        #expect(plot.contains("Strings &amp; &lt;things&gt;"))
        // From 1 at 430 to 10 at 890: 3 is at 430 + 460 x 0.477, 9 at 430 + 460 x 0.954, and the goal of 2 at 430 + 460 x 0.301.
        #expect(plot.contains(#"<circle cx="649.5""#))
        #expect(plot.contains(#"<circle cx="869.0""#))
        #expect(plot.contains(##"<line x1="568.5""##))
    }

    @Test func ratiosOfOtherLibrariesAreNotStored() async throws {
        let groups = [Group("A", [.timed("ours") { 300 }, .timed("theirs", isComparison: true) { 900 }])]
        var run = Run(groups, against: Reference("R", .timed("R: reference") { 100 }))
        for _ in 0..<3 { try await run.round() }
        #expect(
            StoredRatios(version: "1.0.0", of: run).ratios == [
                StoredRatios.Key(group: "A", row: "ours"): Spread(lower: 3, median: 3, upper: 3)
            ])
    }

    @Test func curveOfAnOperationThatGrowsIsRed() async throws {
        let plot = try #require(try await files().contents["growth.svg"])
        #expect(plot.components(separatedBy: ##"fill="none" stroke="#1f77b4""##).count == 2)
        #expect(plot.components(separatedBy: ##"fill="none" stroke="#d62728""##).count == 2)
    }
}
