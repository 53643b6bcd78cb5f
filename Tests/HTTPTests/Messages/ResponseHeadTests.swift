import TangoRequest
import Testing

@testable import TestSupport

@Suite struct ResponseHeadTests {
    private func parse(_ bytes: [UInt8]) -> ResponseHead? {
        bytes.withUnsafeBytes { ResponseHead(parsing: $0) }
    }

    private func parse(_ text: String) -> ResponseHead? {
        parse(Array(text.utf8))
    }

    private func fields(_ bytes: [UInt8]) -> [String] {
        bytes.withUnsafeBytes { ResponseHead.fields(parsing: $0) }.map { "\($0.name)=\($0.value)" }
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\n", HTTPVersion.http1_1, 200, "OK"),
        ("HTTP/1.1 200\r\n", .http1_1, 200, ""),
        ("HTTP/1.1 200 \r\n", .http1_1, 200, ""),
        ("HTTP/1.1 200", .http1_1, 200, ""),
        ("HTTP/1.1 200\n", .http1_1, 200, ""),
        ("HTTP/1.0 404 Not Found\r\n", .http1_0, 404, "Not Found"),
        ("HTTP/2 200 \r\n", .http2, 200, ""),
        ("HTTP/2 200", .http2, 200, ""), ("HTTP/3 200 \r\n", .http3, 200, ""), ("HTTP/3 404", .http3, 404, ""),
        ("HTTP/3 503\r\n", .http3, 503, ""),
        ("HTTP/1.1  200  very   fine  \r\n", .http1_1, 200, "very   fine"),
        ("HTTP/1.1 999 Grüße\r\n", .http1_1, 999, "Grüße"),
    ])
    func statusLineIsParsed(_ line: String, version: HTTPVersion, status: Int, reason: String) throws {
        let head = try #require(parse(line))
        #expect(head.version == version)
        #expect(head.status.code == status)
        #expect(head.reason == reason)
        #expect(head.headers.isEmpty)
    }

    @Test(arguments: [
        "", "\r\n", "H", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 20", "HTTP/1.1 20\r\n200", "HTTP/1.1 2000 OK",
        "HTTP/1.1 20x OK", "HTTP/x.1 200 OK", "HTTP/1.x 200 OK", "HTTP/1.10 200 OK", "HTTP/11 200 OK", "HTTP/1.1200 OK",
        "http/1.1 200 OK", "HTTPS/1.1 200 OK", " HTTP/1.1 200 OK", "\r\nHTTP/1.1 200 OK", "HTTP/1.1 -20 OK",
        "HTTP/1.        ", "HTTP/1     ", "ICY 200 OK", "<!doctype html>",
    ])
    func malformedStatusLineIsNil(_ text: String) {
        #expect(parse(text) == nil)
        #expect(parse(text + "\r\nA: b\r\n\r\n") == nil)
    }

    @Test(arguments: [
        ("A: b\r\nC: d\r\n\r\n", ["A=b", "C=d"]),
        ("A: b\nC: d\n\n", ["A=b", "C=d"]),
        ("A: b\r\nC: d", ["A=b", "C=d"]),
        ("A:b\r\n", ["A=b"]),
        ("A:\t b \t\r\n", ["A=b"]),
        ("A:\r\n", ["A="]),
        ("A: \r\nB: x\r\n", ["A=", "B=x"]),
        ("A : b\r\n", ["A=b"]),
        ("A: b: c:d\r\n", ["A=b: c:d"]),
        ("a: 1\r\nA: 2\r\na: 3\r\n", ["a=1", "A=2", "a=3"]),
        ("A: b\r\n\r\nC: d\r\n", ["A=b"]),
        ("A: b\r\n c\r\n\td \r\nE: f\r\n", ["A=b c d", "E=f"]),
        ("A:\r\n c\r\n", ["A=c"]),
        ("A: b\r\n  \r\n c\r\n", ["A=b c"]),
        (" folds nothing\r\nA: b\r\n", ["A=b"]),
        ("no colon\r\nA: b\r\n", ["A=b"]),
        ("A: b\r\nno colon\r\n belongs to it\r\nC: d\r\n", ["A=b", "C=d"]),
        (": no name\r\nA: b\r\n", ["A=b"]),
        ("not a token: x\r\nÄ: x\r\n(): x\r\nA: b\r\n", ["A=b"]),
        ("A: a\rB: b\r\n", ["A=a B: b"]),
        ("A: a\u{0}b\r\n", ["A=a b"]),
        ("A: a\tb\r\n", ["A=a\tb"]),
        ("A: 你好 🎉 Grüße\r\n", ["A=你好 🎉 Grüße"]),
        (
            "Sec-Very-Long-Name-Of-A-Field: \(String(repeating: "x", count: 300))\r\n",
            ["Sec-Very-Long-Name-Of-A-Field=\(String(repeating: "x", count: 300))"]
        ),
        ("", []), ("\r\n", []), ("\n", []),
    ])
    func fieldsAreParsedLeniently(_ text: String, _ expected: [String]) throws {
        #expect(fields(Array(text.utf8)) == expected)
        let head = try #require(parse("HTTP/1.1 200 OK\r\n" + text))
        #expect(head.headers.map { "\($0.name)=\($0.value)" } == expected)
    }

    @Test(
        arguments: [
            ([0x47, 0x72, 0xFC, 0xDF, 0x65], "Grüße"), ([0xE9], "é"), ([0x80], "\u{80}"), ([0xFF, 0xFE], "ÿþ"),
            ([0xC3, 0xA9], "é"), ([0xC3, 0xA9, 0xE9], "Ã©é"), ([0xED, 0xA0, 0x80], "í\u{A0}\u{80}"),
        ] as [([UInt8], String)])
    func aValueIsUTF8OrElseLatin1(_ value: [UInt8], _ expected: String) {
        #expect(fields(Array("A: ".utf8) + value + [13, 10]) == ["A=\(expected)"])
        #expect(parse(Array("HTTP/1.1 200 ".utf8) + value)?.reason == expected)
    }

    /// The parser examines eight bytes at once, so a line may end at each place among them.
    @Test func linesOfEveryLengthAreFound() {
        for length in 0...40 {
            let value = String(repeating: "x", count: length)
            #expect(fields(Array("A: \(value)\r\nB: y\r\n".utf8)) == ["A=\(value)", "B=y"])
        }
    }

    @Test func everyByteIsParsedAtEveryPlace() {
        for byte in UInt8.min...UInt8.max where byte != 10 {
            for place in 0..<20 {
                var value = [UInt8](repeating: UInt8(ascii: "x"), count: 20)
                value[place] = byte
                let lines = fields(Array("A:".utf8) + value + [13, 10])
                let expected: String =
                    switch byte {
                    case 0, 13: "x"
                    case 128...: "\(Unicode.Scalar(byte))"
                    default: "\(Unicode.Scalar(byte))"
                    }
                #expect(lines.count == 1)
                if byte == 0 || byte == 13 {
                    #expect(lines.allSatisfy { !$0.utf8.contains(byte) })
                } else if byte != 32, byte != 9 {
                    #expect(lines.allSatisfy { $0.unicodeScalars.contains { String($0) == expected } })
                }
            }
        }
    }

    @Test func tokenCharactersFollowTheStandard() {
        let others = "!#$%&'*+-.^_`|~".utf8
        for byte in UInt8.min...UInt8.max {
            let character = Character(Unicode.Scalar(byte))
            let expected = byte < 128 && (character.isLetter || character.isNumber) || others.contains(byte)
            #expect(byte.isTokenCharacter == expected)
        }
    }

    /// The parser never reads beyond the bytes, and no parsed value can forge a field.
    @Test(arguments: 0..<20) func arbitraryBytesAreParsedSafely(_ seed: Int) {
        var random = SeededBytes(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
        let pieces: [[UInt8]] = [
            Array("HTTP/1.1 200 OK\r\n".utf8), [13, 10], [10], [13], [0], Array(": ".utf8), Array("Name".utf8), [32],
            [9],
            [0xC3], [0xC3, 0xBC], [0xFF],
        ]
        for _ in 0..<2000 {
            var bytes: [UInt8] = random.next() % 2 == 0 ? pieces[0] : []
            for _ in 0..<(random.next() % 24) {
                if random.next() % 4 == 0 {
                    bytes.append(UInt8(truncatingIfNeeded: random.next()))
                } else {
                    bytes += pieces[Int(random.next() % UInt64(pieces.count))]
                }
            }
            // The allocation has the exact size, so that a sanitizer reports a read beyond it.
            let exact = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
            defer { exact.deallocate() }
            exact.copyBytes(from: bytes)
            let headers = ResponseHead.fields(parsing: UnsafeRawBufferPointer(exact))
            let head = ResponseHead(parsing: UnsafeRawBufferPointer(exact))
            if bytes.starts(with: pieces[0]) { #expect(head != nil) }
            for field in Array(headers) + Array(head?.headers ?? [:]) {
                #expect(!field.name.isEmpty && field.name.utf8.allSatisfy(\.isTokenCharacter))
                #expect(!field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 })
            }
        }
    }
}

private struct SeededBytes {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
