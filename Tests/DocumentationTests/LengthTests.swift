import Foundation
import Testing

/// Articles take about five minutes to read, and the README is shorter. Pages to look things up may be longer.
@Suite struct LengthTests {
    private static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// Pages with tables to look things up. Those on moving from other libraries have names of both.
    private static let references: Set<String> = [
        "ErrorCodes.md", "Format.md", "ComparingRequests.md", "ComparingPromises.md", "ComparingStores.md",
    ]

    private static func isReference(_ article: String) -> Bool {
        let name = article.components(separatedBy: "/").last ?? ""
        return references.contains(name) || name.hasPrefix("Moving")
    }

    private static let articles: [String] = {
        let found = FileManager.default.enumerator(atPath: root.appendingPathComponent("Sources").path)
        let files = found?.compactMap { $0 as? String } ?? []
        return files.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }.sorted().map { "Sources/\($0)" }
    }()

    private func words(of file: String) throws -> Int {
        try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
            .split(whereSeparator: \.isWhitespace).count
    }

    @Test(arguments: articles.filter { !isReference($0) })
    func articleTakesFiveMinutes(_ article: String) throws {
        #expect(try words(of: article) <= 1200)
    }

    @Test func readmeHasAtMostAThousandWords() throws {
        #expect(try words(of: "README.md") <= 1000)
    }

    @Test func articlesAndReferencesAreFound() {
        let names = Set(Self.articles.compactMap { $0.components(separatedBy: "/").last })
        #expect(names.isSuperset(of: Self.references))
        #expect(Self.articles.count > 50)
    }
}
