import Foundation
import RedisStore
import TangoCache
import Testing

/// The numbers and the code of the documentation.
@Suite struct DocumentationTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
    private static let sources = root.appendingPathComponent("Sources/RedisStore")

    private func text(_ path: String) throws -> String {
        try String(contentsOf: Self.root.appendingPathComponent(path), encoding: .utf8)
    }

    @Test(arguments: FleetSimulation.Tier.allCases)
    func articleHasTheNumbersOfTheSimulation(_ tier: FleetSimulation.Tier) throws {
        let row = FleetSimulation().run(tier).row(tier)
        let article = try text("Sources/RedisStore/RedisStore.docc/RedisStore.md")
        #expect(article.contains(row), "the article lacks the row: \(row)")
    }

    @Test func allCodeInTheDocumentationIsCompiled() throws {
        let snippets = try text("Tests/RedisStoreTests/Documentation/RedisSnippets.swift").split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let paths = FileManager.default.enumerator(atPath: Self.sources.path)?.compactMap { $0 as? String } ?? []
        var missing: [String] = []
        for path in paths where path.hasSuffix(".swift") || path.hasSuffix(".md") {
            var isCode = false
            for line in try text("Sources/RedisStore/" + path).split(separator: "\n") {
                var line = line.trimmingCharacters(in: .whitespaces)
                if path.hasSuffix(".swift") {
                    guard line.hasPrefix("///") else { continue }
                    line = line.dropFirst(3).trimmingCharacters(in: .whitespaces)
                }
                if line.hasPrefix("```") {
                    isCode = line == "```swift"
                } else if isCode, !line.isEmpty, !snippets.contains(line) {
                    missing.append("\(path): \(line)")
                }
            }
        }
        #expect(missing == [])
    }
}
