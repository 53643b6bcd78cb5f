import Foundation
import Testing

/// A block of Swift code in the documentation: in a Markdown file, or in the doc comments of a Swift file.
struct Snippet: CustomTestStringConvertible {
    /// A line of code without the white space around it, and where it stands.
    struct Line: Equatable {
        let number: Int
        let text: String
    }

    let file: String
    let lines: [Line]

    var testDescription: String { "\(file):\(lines.first?.number ?? 0)" }

    var imports: [Line] { lines.filter(\.isImport) }
    var code: [Line] { lines.filter { !$0.isImport } }
}

extension Snippet.Line {
    var isImport: Bool { text.hasPrefix("import ") }
}

/// The code blocks of one file.
struct Fences {
    private(set) var snippets: [Snippet] = []
    /// The lines of code blocks without a language, which could hide code from the test.
    private(set) var untagged: [Int] = []

    /// Reads Markdown, or the doc comments of Swift source.
    init(in text: String, of file: String) {
        let isSource = file.hasSuffix(".swift")
        var language: String?
        var lines: [Snippet.Line] = []
        for (index, line) in text.components(separatedBy: "\n").enumerated() {
            var content = line.trimmingCharacters(in: .whitespaces)
            if isSource {
                guard content.hasPrefix("///") else { continue }
                content = content.dropFirst(3).trimmingCharacters(in: .whitespaces)
            }
            if !content.hasPrefix("```") || content.dropFirst(3).contains("`") {
                if language != nil, !content.isEmpty { lines.append(.init(number: index + 1, text: content)) }
            } else if language == nil {
                language = String(content.dropFirst(3))
                if language == "" { untagged.append(index + 1) }
                lines = []
            } else {
                if language == "swift" { snippets.append(Snippet(file: file, lines: lines)) }
                language = nil
            }
        }
    }
}
