import Foundation

/// The rules on words, and the text to which each applies.
struct Rules {
    typealias Found = (line: Int, message: String)

    private static let longest = 30
    private static let openings: Set<String> = ["what", "whether", "who", "whose", "whoever", "where", "how"]
    private static let everywhere = ["whoever", "somebody", "nobody", "anybody", "everybody"]
    /// The words and phrases that the glossary replaces by others, in lower case, by their first word.
    private let forbidden: [String: [[String]]]

    /// Reads the forbidden words from the glossary: those in bold in the last column of its tables.
    init(glossary: String) throws {
        var words = Self.everywhere
        for row in try Files.text(glossary).split(separator: "\n") where row.hasPrefix("|") {
            let cell = row.split(separator: "|").last ?? ""
            for (index, part) in cell.components(separatedBy: "**").enumerated() where index % 2 == 1 {
                words.append(part.lowercased())
            }
        }
        forbidden = Dictionary(grouping: words.map { $0.split(separator: " ").map(String.init) }) { $0[0] }
    }

    /// Checks an article.
    func check(markdown lines: [String]) -> [Found] {
        Paragraph.all(in: lines.enumerated().map { ($0.offset + 1, $0.element) }).flatMap(check)
    }

    /// Checks the comments, the texts and the names of functions in Swift code.
    func check(swift lines: [String]) -> [Found] {
        let source = SwiftText(lines)
        var found: [Found] = []
        for comment in source.comments {
            let paragraphs = Paragraph.all(in: comment.lines)
            found += paragraphs.flatMap(check)
            guard comment.isDocumentation else { continue }
            found += (paragraphs.prefix(1) + paragraphs.dropFirst().filter(\.isParameter)).flatMap(checkOpening)
        }
        for (line, text) in source.literals {
            found += checkWords(Paragraph.words(in: [(line, text)]))
        }
        for (line, name) in source.functions {
            let words = name.map { (text: $0, line: line) }
            found += checkWords(words)
            if let first = name.first, Self.openings.contains(first) {
                found.append((line, "The name of a function opens with \"\(first)\". Open with a noun or a verb."))
            }
        }
        return found
    }

    private func check(_ paragraph: Paragraph) -> [Found] {
        var found = checkWords(paragraph.words)
        guard paragraph.hasSentences else { return found }
        for sentence in paragraph.sentences where sentence.count > Self.longest {
            found.append((sentence[0].line, "A sentence has \(sentence.count) words. Use \(Self.longest) at most."))
        }
        return found
    }

    private func checkOpening(of paragraph: Paragraph) -> [Found] {
        guard let first = paragraph.words.first, Self.openings.contains(Paragraph.bare(first.text)) else { return [] }
        return [(first.line, "A doc comment opens with \"\(first.text)\". Open with a noun or a verb.")]
    }

    private func checkWords(_ words: [Paragraph.Word]) -> [Found] {
        let bare = words.map { Paragraph.bare($0.text) }
        return bare.indices.flatMap { start in
            forbidden[bare[start], default: []].compactMap { phrase -> Found? in
                guard bare[start...].starts(with: phrase) else { return nil }
                let text = phrase.joined(separator: " ")
                let advice = Self.everywhere.contains(text) ? "Name the subject." : "See the glossary."
                return (words[start].line, "\"\(text)\" is not used here. \(advice)")
            }
        }
    }
}
