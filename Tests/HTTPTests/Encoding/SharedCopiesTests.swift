import Testing

@testable import TangoHTTP

/// The functions that stand in for those of the standard library have the same results.
struct SharedCopiesTests {
    static let texts = ["", ",", "a", "a,b", ",a,,b,", ",,", "é,e\u{301},日本", "a\r\n,b", "1,,,"]

    @Test(arguments: texts, [Int.max, 0, 1, 2])
    func splitsAsTheStandardLibraryDoes(_ text: String, most: Int) {
        for omits in [true, false] {
            let parts = generic(text, ",", most, omits).map { String($0) }
            let own = text.split(separator: ",", maxSplits: most, omittingEmptySubsequences: omits)
            #expect(own.map { String($0) } == parts)
            #expect(
                text.split(maxSplits: most, omittingEmptySubsequences: omits) { $0 == "," }.map { String($0) } == parts)
            let bytes = generic(text.utf8, UInt8(ascii: ","), most, omits).map { Array($0) }
            let ownBytes = text.utf8.split(
                separator: UInt8(ascii: ","), maxSplits: most, omittingEmptySubsequences: omits)
            #expect(ownBytes.map { Array($0) } == bytes)
        }
    }

    private func generic<Text: Collection>(
        _ text: Text, _ separator: Text.Element, _ most: Int, _ omits: Bool
    ) -> [Text.SubSequence] where Text.Element: Equatable {
        text.split(separator: separator, maxSplits: most, omittingEmptySubsequences: omits)
    }

    @Test(arguments: texts, texts)
    func comparesBytesAsTheStandardLibraryDoes(_ one: String, _ other: String) {
        #expect(one.utf8.starts(with: other.utf8) == Array(one.utf8).starts(with: Array(other.utf8)))
        #expect(one.utf8.elementsEqual(other.utf8) == (Array(one.utf8) == Array(other.utf8)))
        #expect(one[...].utf8.elementsEqual(other.utf8) == (Array(one.utf8) == Array(other.utf8)))
    }

    @Test(arguments: ["", "0", "-0", "+7", "65535", "65536", "-1", "9223372036854775807", "9223372036854775808", "1a"])
    func readsNumbersAsTheStandardLibraryDoes(_ text: String) {
        #expect(Int(text) == number(text))
        #expect(Int64(text) == number(text))
        #expect(UInt16(text) == number(text))
    }

    private func number<Number: FixedWidthInteger>(_ text: String) -> Number? { Number(text, radix: 10) }

    @Test
    func findsATextAtAPlaceOfBytes() {
        Array("HTTP/2 101".utf8).withUnsafeBytes { bytes in
            #expect(bytes.holds("HTTP/2") && bytes.holds("101", at: 7) && bytes.holds("", at: 10))
            #expect(!bytes.holds("HTTP/1") && !bytes.holds("101", at: 8) && !bytes.holds("1", at: 11))
        }
    }
}
