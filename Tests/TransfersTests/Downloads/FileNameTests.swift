import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// Names of files that servers send: RFC 6266, RFC 8187, and what is left of bad ones.
struct FileNameTests {
    @Test(arguments: [
        ("attachment; filename=\"a.txt\"", "a.txt"),
        ("attachment; filename=a.txt", "a.txt"),
        ("ATTACHMENT; FileName = a.txt", "a.txt"),
        ("inline", nil),
        ("attachment; filename=\"a;b=c.txt\"; size=3", "a;b=c.txt"),
        ("attachment; filename=\"a\\\"b.txt\"", "a\"b.txt"),
        ("attachment; filename=\"a.txt\"; filename*=UTF-8''%e2%82%ac%20rates", "€ rates"),
        ("attachment; filename*=UTF-8''%e2%82%ac.txt; filename=\"a.txt\"", "€.txt"),
        ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
        ("attachment; filename=\"a.txt\"; filename*=UTF-8''%e2%82", "a.txt"),
        ("attachment; filename=\"a.txt\"; filename*=UTF-8''%zz", "a.txt"),
        ("attachment; filename=\"a.txt\"; filename*=UTF-8''a b", "a.txt"),
        ("attachment; filename=\"a.txt\"; filename*=koi8-r''a", "a.txt"),
        ("attachment; filename=\"a.txt\"; filename*=a", "a.txt"),
        ("attachment; filename=a; filename=b", "a"),
        ("attachment; filename=\"unclosed", "\"unclosed"),
        ("", nil),
        ("filename=a", nil),
    ])
    func dispositionHasAName(_ text: String, _ name: String?) {
        #expect(ContentDisposition(text).name == name)
    }

    @Test(arguments: [
        ("film.mp4", "film.mp4"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Windows\\cmd.exe", "cmd.exe"),
        ("/", nil), ("..", nil), ("...", nil), (".", nil), ("", nil), ("  ", nil), ("a/", nil),
        (".bashrc", "bashrc"),
        (".tango-x.resume", "tango-x.resume"),
        ("a\u{0}b\n.txt", "ab.txt"),
        ("photo\u{202E}gpj.exe", "photogpj.exe"),
        ("trailing. ", "trailing"),
        ("a:b.txt", "ab.txt"),
        ("日本語.txt", "日本語.txt"),
        ("e\u{301}.txt", "e\u{301}.txt"),
    ])
    func nameIsSafe(_ text: String, _ name: String?) {
        #expect(SafeFileName.make(text).map { Array($0.utf8) } == name.map { Array($0.utf8) })
    }

    @Test func longNameKeepsItsExtension() throws {
        let name = try #require(SafeFileName.make(String(repeating: "語", count: 300) + ".mp4"))
        #expect(name.utf8.count <= 200)
        #expect(name.hasSuffix("語.mp4"))
    }

    @Test(arguments: [
        ("film.mp4", 1, "film.mp4"), ("film.mp4", 2, "film 2.mp4"), ("film", 3, "film 3"),
        ("a.tar.gz", 2, "a.tar 2.gz"),
        ("a.b c d e f g h i j k l m n o p", 2, "a.b c d e f g h i j k l m n o p 2"),
    ])
    func takenNameGetsANumber(_ name: String, _ number: Int, _ result: String) {
        #expect(SafeFileName.numbered(name, number) == result)
    }

    @Test func nameIsThatOfTheServerThenOfTheURL() {
        #expect(SafeFileName.of(["Content-Disposition": "attachment; filename=a"], path: "b") == "a")
        #expect(SafeFileName.of(["Content-Disposition": "attachment; filename=.."], path: "b") == "b")
        #expect(SafeFileName.of([:], path: "b") == "b")
        #expect(SafeFileName.of([:], path: "/") == "download")
    }

    /// Texts of the characters that matter, in any order.
    @Test(arguments: 1...20)
    func anyTextGivesASafeNameOrNone(_ seed: Int) {
        var dice = SeededNumbers(seed: UInt64(seed))
        let parts = [
            "attachment", "filename", "filename*", "=", ";", "\"", "\\", "UTF-8''", "%", "%2F", "%00", "..", "/", "a",
            "é", " ",
            "\u{7F}", "\u{200D}", "\u{2028}", ".", "iso-8859-1''", "%E2%82%AC", "\t", "'",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...14, using: &dice)).map { _ in parts.randomElement(using: &dice) ?? "" }
                .joined()
            for candidate in [ContentDisposition("attachment;" + text).name, text] {
                guard let candidate, let name = SafeFileName.make(candidate) else { continue }
                let isSafe =
                    !name.isEmpty && name.utf8.count <= 200 && name.utf8.first != UInt8(ascii: ".")
                    && !name.utf8.contains {
                        $0 < 32 || $0 == 127 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\")
                    }
                #expect(isSafe, "\(text.debugDescription) became \(name.debugDescription)")
                // A safe name stays as it is.
                #expect(SafeFileName.make(name) == name)
            }
        }
    }

    /// Compares the parser with a grammar that is written as a list of characters.
    @Test(arguments: 1...20)
    func contentRangeIsParsedStrictly(_ seed: Int) {
        var dice = SeededNumbers(seed: UInt64(seed))
        let parts = ["bytes", " ", "-", "/", "*", "0", "9", "12", "+1", "x", ",", "99999999999999999999"]
        for _ in 0..<2000 {
            let text =
                Bool.random(using: &dice)
                ? (0..<Int.random(in: 0...8, using: &dice)).map { _ in parts.randomElement(using: &dice) ?? "" }
                    .joined()
                : "bytes \(Int.random(in: 0...30, using: &dice))-\(Int.random(in: 0...30, using: &dice))/"
                    + (Bool.random(using: &dice) ? "*" : "\(Int.random(in: 0...40, using: &dice))")
            guard let range = ContentRange(text) else { continue }
            #expect(range.bytes.lowerBound >= 0 && !range.bytes.isEmpty)
            #expect(range.total.map { $0 >= range.bytes.upperBound } ?? true)
            let digits = text.filter { $0 != " " && $0 != "\t" }
            #expect(digits.contains("\(range.bytes.lowerBound)-") || digits.contains("-"), "\(text)")
            #expect(ContentRange(range.text) == range)
        }
    }
}
