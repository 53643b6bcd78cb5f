import Foundation

/// A paragraph, list item, heading or table row of Markdown, as words with the numbers of their lines.
struct Paragraph {
    typealias Line = (number: Int, text: String)
    typealias Word = (text: String, line: Int)

    let words: [Word]
    /// Tables and headings have no sentences.
    let hasSentences: Bool
    /// The description in a list item of the form `- Parameter name: …`, `- Returns: …` or `- name: …`.
    let isParameter: Bool

    /// Splits Markdown into paragraphs, without blocks of code.
    static func all(in lines: [Line]) -> [Paragraph] {
        var paragraphs: [Paragraph] = []
        var current: [Line] = []
        var isCode = false
        func end() {
            if !current.isEmpty { paragraphs.append(Paragraph(current, hasSentences: true)) }
            current = []
        }
        for line in lines {
            let text = line.text.trimmingCharacters(in: .whitespaces)
            if text.hasPrefix("```") {
                end()
                isCode.toggle()
            } else if isCode {
                continue
            } else if text.hasPrefix("|") || text.hasPrefix("#") || text.hasPrefix("MARK:") {
                end()
                paragraphs.append(Paragraph([(line.number, text)], hasSentences: false))
            } else if text.isEmpty {
                end()
            } else {
                // A pattern is compiled where it is used, so lines without its first characters pass it by.
                if let first = text.first, "-*0123456789".contains(first),
                    text.prefixMatch(of: #/(?:[-*]|\d+\.) /#) != nil
                {
                    end()
                }
                current.append((line.number, text))
            }
        }
        end()
        return paragraphs
    }

    private init(_ lines: [Line], hasSentences: Bool) {
        var lines = lines
        let first = lines[0].text
        if hasSentences, first.hasPrefix("- "),
            let match = first.wholeMatch(of: /- (?:Parameters? \w+|Returns|Throws|\w+): (?<text>.*)/)
        {
            lines[0].text = String(match.text)
            isParameter = true
        } else {
            isParameter = false
        }
        words = Self.words(in: lines)
        self.hasSentences = hasSentences
    }

    /// Splits lines into words. Code between backticks counts as one word.
    static func words(in lines: [Line]) -> [Word] {
        var words: [Word] = []
        var isCode = false
        for line in lines {
            for token in line.text.split(whereSeparator: { $0 == " " || $0 == "|" }) {
                if isCode {
                    words[words.count - 1].text += " " + token
                } else {
                    words.append((String(token), line.number))
                }
                if token.count(where: { $0 == "`" }) % 2 == 1 { isCode.toggle() }
            }
        }
        return words
    }

    /// The sentences, as the words that contain a letter.
    var sentences: [[Word]] {
        var sentences: [[Word]] = [[]]
        for word in words {
            if word.text.contains(where: \.isLetter) { sentences[sentences.count - 1].append(word) }
            let end = word.text.last { !")]*\"”`".contains($0) }
            if let end, ".!?".contains(end), !["e.g.", "i.e."].contains(word.text) { sentences.append([]) }
        }
        return sentences.filter { !$0.isEmpty }
    }

    /// Returns a word in lower case without the punctuation around it. Code becomes an empty word.
    static func bare(_ word: String) -> String {
        guard !word.contains("`") else { return "" }
        return word.lowercased().trimmingCharacters(in: CharacterSet.alphanumerics.inverted)
    }
}
