import Foundation
import Testing

/// Each claim that something is not yet so stands in `docs/claims.md`, so that the change which ends it finds it.
@Suite struct ClaimTests {
    struct Claim: Hashable, CustomTestStringConvertible {
        let page: String
        let sentence: String

        var testDescription: String { "\(page): \(sentence)" }
    }

    private static let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private static func text(of page: String) -> String? {
        try? String(contentsOf: root.appendingPathComponent(page), encoding: .utf8)
    }

    /// The README, the guide and all articles. Some copies of the repository have no guide.
    private static let pages: [String] = {
        let found = FileManager.default.enumerator(atPath: root.appendingPathComponent("Sources").path)
        let files = found?.compactMap { $0 as? String } ?? []
        let articles = files.filter { $0.hasSuffix(".md") }.sorted().map { "Sources/\($0)" }
        return (["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/stability.md"] + articles)
            .filter { text(of: $0) != nil }
    }()

    /// The rows of the list: a page, and a part of its sentence. The rows of its first table have an owner.
    private static let listed: [(claim: Claim, owner: String?)] = {
        let rows = (text(of: "docs/claims.md") ?? "").split(separator: "\n").filter { $0.hasPrefix("| ") }
        let cells = rows.map { row in
            row.dropFirst().dropLast().components(separatedBy: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        return cells.filter { $0[0] != "Page" }.map { cells in
            (Claim(page: cells[0], sentence: cells[1]), cells.count > 3 ? cells[3] : nil)
        }
    }()

    /// Returns the sentences and cells of a text that say that something is not yet so.
    private static func claims(in text: String) -> [String] {
        var isCode = false
        var prose: [String] = []
        for line in text.components(separatedBy: "\n") {
            if line.hasPrefix("```") { isCode.toggle() }
            prose.append(isCode || line.hasPrefix("```") ? "" : line)
        }
        // A line of a table or a list begins a sentence. All others continue the one before.
        let joined = prose.joined(separator: "\n")
            .replacing(/\n(?=[|\-#]|\n|$)/, with: "\u{0}").replacing(/\n */, with: " ")
        let parts = joined.split { $0 == "\u{0}" }
            .flatMap { $0.hasPrefix("|") ? $0.split(separator: "|").map(String.init) : sentences(of: String($0)) }
        let words = /(?i)\b(?:(?:not|no|none|nothing|never)\b.{0,60}\byet|later versions?|planned|not implemented)\b/
        let others = /(?i)\b(?:so far|for now|will be added|to come)\b(?! as)/
        return parts.filter { $0.contains(words) || $0.contains(others) }
    }

    private static func sentences(of paragraph: String) -> [String] {
        paragraph.replacing(/([.!?]) +(?=[A-Z`<*])/) { "\($0.output.1)\u{1}" }
            .split(separator: "\u{1}").map(String.init)
    }

    @Test(arguments: pages)
    func claimsOfAPageAreListed(_ page: String) throws {
        let listed = Self.listed.filter { $0.claim.page == page }.map(\.claim.sentence)
        for sentence in Self.claims(in: try #require(Self.text(of: page))) {
            #expect(
                listed.contains { sentence.contains($0) },
                "\(page): add this sentence to docs/claims.md, with an owner, or mend it: \(sentence)")
        }
    }

    @Test(arguments: listed.map(\.claim).filter { text(of: $0.page) != nil })
    func listedClaimIsThere(_ claim: Claim) throws {
        let claims = Self.claims(in: try #require(Self.text(of: claim.page)))
        #expect(claims.contains { $0.contains(claim.sentence) }, "docs/claims.md lists a sentence that is gone")
    }

    @Test func claimsHaveOwners() {
        #expect(Self.listed.count { $0.owner != nil } >= 5)
        #expect(!Self.listed.contains { $0.owner == "" })
        #expect(Self.listed.allSatisfy { !$0.claim.sentence.isEmpty })
    }

    @Test func claimsAreFoundInSentencesAndTables() {
        let text = """
            It works. It has not
            been run yet. See `a.b`. It is as far as it goes.

            | a | none yet |
            ```text
            not yet
            ```
            - A later version writes more.
            """
        #expect(Self.claims(in: text) == ["It has not been run yet.", " none yet ", "- A later version writes more."])
    }
}
