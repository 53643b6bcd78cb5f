import Foundation
import Testing

/// Code in the README, in the articles and in doc comments must compile. Each block that is marked as Swift stands,
/// line by line, in a file under Tests whose name ends in Snippets.swift.
@Suite struct SnippetTests {
    @Test(arguments: Documents.snippets)
    func everySnippetIsCompiled(_ snippet: Snippet) {
        var best: (matched: Int, missing: Snippet.Line)?
        for lines in Documents.compiled {
            guard let missing = snippet.firstLine(missingFrom: lines) else { return }
            if missing.matched >= best?.matched ?? 0 { best = missing }
        }
        guard let missing = best?.missing else { return }
        Issue.record(
            "\(snippet.file):\(missing.number) is in no file of compiled snippets, from this line on: \(missing.text)",
            sourceLocation: SourceLocation(
                fileID: "Documentation/\(snippet.file)", filePath: Documents.path(of: snippet.file),
                line: missing.number, column: 1))
    }

    @Test func everyFenceSaysWhatItEncloses() {
        let untagged = Documents.all.flatMap { file, fences in fences.untagged.map { "\(file):\($0)" } }
        #expect(untagged.isEmpty)
    }

    @Test(arguments: [
        "README.md", "Promise.docc/", "Sources/Promise/Operators/", "Sources/Promise/Combinators/",
        "LoopbackServer.docc/",
    ])
    func snippetsAreFound(in place: String) {
        #expect(Documents.snippets.contains { $0.file.contains(place) })
    }

    @Test func fencesAreReadFromMarkdown() {
        let fences = Fences(
            in: """
                ```swift
                import Tango

                    one()
                ```
                ```text
                two()
                ```
                ```
                three()
                ```
                """, of: "a.md")
        #expect(fences.snippets.map(\.testDescription) == ["a.md:2"])
        #expect(fences.snippets.first?.imports.map(\.text) == ["import Tango"])
        #expect(fences.snippets.first?.code == [.init(number: 4, text: "one()")])
        #expect(fences.untagged == [9])
    }

    @Test func fencesAreReadFromDocCommentsOnly() {
        let fences = Fences(
            in: """
                /// Does it.
                ///
                /// ```swift
                /// one()
                /// ```
                func one() {}  // ```swift
                """, of: "a.swift")
        #expect(fences.snippets.map(\.code) == [[.init(number: 4, text: "one()")]])
    }

    @Test func aMissingLineIsNamed() {
        let snippet = Fences(in: "```swift\nimport A\none()\ntwo()\n```", of: "a.md").snippets[0]
        #expect(snippet.firstLine(missingFrom: ["import A", "{", "one()", "two()", "}"]) == nil)
        #expect(snippet.firstLine(missingFrom: ["one()", "two()"])?.missing.text == "import A")
        #expect(snippet.firstLine(missingFrom: ["import A", "one()", "", "two()"])?.missing.text == "two()")
        #expect(snippet.firstLine(missingFrom: ["import A", "two()"])?.missing.text == "one()")
    }
}

extension Snippet {
    /// Returns the first line that a file lacks. Imports may stand anywhere in the file; all other lines must be
    /// consecutive.
    ///
    /// If the snippet begins in several places, the longest match counts.
    func firstLine(missingFrom lines: [String]) -> (matched: Int, missing: Line)? {
        if let missing = imports.first(where: { !lines.contains($0.text) }) { return (0, missing) }
        guard let first = code.first else { return nil }
        var best = (matched: 0, missing: first)
        for start in lines.indices where lines[start] == first.text {
            let matched = zip(code, lines[start...]).prefix { $0.text == $1 }.count
            if matched == code.count { return nil }
            if matched > best.matched { best = (matched, code[matched]) }
        }
        return best
    }
}
