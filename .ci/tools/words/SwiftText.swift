import Foundation

/// The parts of Swift code that are written for readers: comments, string literals and the names of functions.
struct SwiftText {
    /// A block of comment lines, without the slashes.
    struct Comment {
        let isDocumentation: Bool
        var lines: [Paragraph.Line]
    }

    private(set) var comments: [Comment] = []
    private(set) var literals: [Paragraph.Line] = []
    /// The names of functions, split into words in lower case.
    private(set) var functions: [(line: Int, name: [String])] = []

    init(_ lines: [String]) {
        var isInText = false
        var isInComment = false
        for (index, line) in lines.enumerated() {
            let number = index + 1
            let text = line.trimmingCharacters(in: .whitespaces)
            if !isInText, text.hasPrefix("//") {
                add(text, number, continues: isInComment)
                isInComment = true
                continue
            }
            isInComment = false
            if text.components(separatedBy: "\"\"\"").count % 2 == 0 {
                isInText.toggle()
            } else if isInText {
                literals.append((number, text))
            } else {
                read(text, number)
            }
        }
    }

    /// Adds a line to the comment before it, or begins a new comment.
    private mutating func add(_ text: String, _ number: Int, continues: Bool) {
        let isDocumentation = text.hasPrefix("///")
        let line = (number, String(text.dropFirst(isDocumentation ? 3 : 2)))
        if continues, comments.last?.isDocumentation == isDocumentation {
            comments[comments.count - 1].lines.append(line)
        } else {
            comments.append(Comment(isDocumentation: isDocumentation, lines: [line]))
        }
    }

    /// Reads the literals, the comment at the end and the function of a line of code.
    private mutating func read(_ text: String, _ number: Int) {
        var code = text
        // A pattern is compiled where it is used, so lines without its characters pass it by.
        if text.contains("\"") {
            for match in text.matches(of: /"(?<content>(?:[^"\\]|\\.)*)"/) {
                literals.append((number, String(match.content).replacing(/\\\([^)]*\)/, with: "`code`")))
            }
            code.replace(/"(?:[^"\\]|\\.)*"/, with: "\"\"")
        }
        if code.contains("//"), let comment = code.firstMatch(of: /\/\/+ (?<text>.*)$/) {
            comments.append(Comment(isDocumentation: false, lines: [(number, String(comment.text))]))
        }
        if code.contains("func "), let function = code.firstMatch(of: /\bfunc (?<name>\w+)/) {
            let name = String(function.name).replacing(/[A-Z]/) { " " + $0.output.lowercased() }
            functions.append((number, name.split(separator: " ").map(String.init)))
        }
    }
}
