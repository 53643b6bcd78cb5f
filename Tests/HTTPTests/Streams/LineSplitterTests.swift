import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// The lines of a body, at every boundary of portions.
struct LineSplitterTests {
    static let rows: [(text: String, lines: [String])] = [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]),
        ("\n", [""]), ("\n\n", ["", ""]), ("\r\n\r\n", ["", ""]), ("a\rb\n", ["a\rb"]), ("a\r\r\n", ["a\r"]),
        ("a\r", ["a\r"]), ("\r", ["\r"]), ("\u{FEFF}a\n\u{FEFF}b", ["a", "\u{FEFF}b"]), ("\u{FEFF}", []),
        ("\u{FEFF}\n", [""]),
        ("😀\né", ["😀", "é"]),
    ]

    private static func read(_ portions: [Data], limit: Int = 1000) throws -> [String] {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        func drain() throws {
            while let line = try splitter.next({ String(decoding: $0, as: UTF8.self) }) { lines.append(line) }
            #expect(splitter.count == lines.count)
        }
        for portion in portions {
            splitter.append(portion)
            try drain()
        }
        splitter.end()
        try drain()
        return lines
    }

    @Test(arguments: rows)
    func splitsAtEveryBoundary(text: String, lines: [String]) throws {
        let bytes = Data(text.utf8)
        #expect(try Self.read(bytes.map { Data([$0]) }) == lines)
        for first in 0...bytes.count {
            for second in first...bytes.count {
                #expect(try Self.read([bytes[..<first], bytes[first..<second], bytes[second...]]) == lines)
            }
        }
    }

    @Test(arguments: [1, 3, 1000])
    func longLinesAreRefused(size: Int) throws {
        func portions(_ text: String) -> [Data] {
            let bytes = Data(text.utf8)
            return stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        }
        #expect(try Self.read(portions("12345\r\n12345\n12345"), limit: 5) == ["12345", "12345", "12345"])
        for text in ["1\n123456\n", "1\n123456", "1\n12345\r", "1\n1234567890"] {
            #expect(throws: ElementExcess(element: "line 2", limit: 5)) { try Self.read(portions(text), limit: 5) }
        }
    }

    @Test(arguments: 0..<100)
    func randomTexts(seed: Int) throws {
        var random = Seeded(seed)
        let pieces = ["\n", "\r", "\r\n", "a", "long text", "é", "\u{FEFF}"]
        let text = "x" + (0..<random.below(50)).map { _ in pieces[random.below(pieces.count)] }.joined()
        var expected = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = line
            if line.last == "\r" { line.removeLast() }
            return String(line)
        }
        if text.unicodeScalars.last == "\n" { expected.removeLast() }
        if text.unicodeScalars.last == "\r" { expected[expected.count - 1] += "\r" }
        let bytes = Data(text.utf8)
        let size = 1 + random.below(9)
        let portions = stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
        #expect(try Self.read(portions) == expected)
    }
}
