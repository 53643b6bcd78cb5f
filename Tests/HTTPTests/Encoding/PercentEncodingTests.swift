import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct PercentEncodingTests {
    /// The ASCII characters that each set does not encode, from the WHATWG URL standard.
    @Test(arguments: [
        (PercentEncodeSet.control, " !\"#$%&'()*+,-./0-9:;<=>?@A-Z[\\]^_`a-z{|}~"),
        (.fragment, "!#$%&'()*+,-./0-9:;=?@A-Z[\\]^_a-z{|}~"),
        (.query, "!$%&'()*+,-./0-9:;=?@A-Z[\\]^_`a-z{|}~"),
        (.path, "!$%&'()*+,-./0-9:;=@A-Z[\\]_a-z|~"),
        (.userinfo, "!$%&'()*+,-.0-9A-Z_a-z~"),
        (.component, "!'()*-.0-9A-Z_a-z~"),
        (.form, "*-.0-9A-Z_a-z"),
    ])
    func setsFollowTheStandard(_ set: PercentEncodeSet, _ allowed: String) {
        let written =
            allowed
            .replacing("0-9", with: "0123456789")
            .replacing("A-Z", with: "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            .replacing("a-z", with: "abcdefghijklmnopqrstuvwxyz")
        let expected = Set(written.utf8)
        let found = Set((UInt8.min...UInt8.max).filter { !set.contains($0) })
        #expect(found == expected, "\(String(decoding: found.symmetricDifference(expected).sorted(), as: UTF8.self))")
    }

    @Test(arguments: [
        ("", ""),
        ("plain-text_1.0*", "plain-text_1.0*"),
        ("a b", "a%20b"),
        ("50%", "50%25"),
        ("%41", "%2541"),
        ("a&b=c+d", "a%26b%3Dc%2Bd"),
        ("/?#[]@", "%2F%3F%23%5B%5D%40"),
        ("!'()*~", "!'()*~"),
        ("\"<>\\^`{|}", "%22%3C%3E%5C%5E%60%7B%7C%7D"),
        ("$,;:", "%24%2C%3B%3A"),
        ("\u{0}\t\n\r\u{1f}\u{7f}", "%00%09%0A%0D%1F%7F"),
        ("\r\n", "%0D%0A"),
        ("é", "%C3%A9"),
        ("e\u{301}", "e%CC%81"),
        ("≡", "%E2%89%A1"),
        ("日本語", "%E6%97%A5%E6%9C%AC%E8%AA%9E"),
        ("😀", "%F0%9F%98%80"),
        ("👩‍👧", "%F0%9F%91%A9%E2%80%8D%F0%9F%91%A7"),
        ("\u{80}\u{7ff}\u{800}\u{ffff}\u{10000}\u{10ffff}", "%C2%80%DF%BF%E0%A0%80%EF%BF%BF%F0%90%80%80%F4%8F%BF%BF"),
        ("\u{feff}", "%EF%BB%BF"),
        ("ſK", "%C5%BFK"),
    ])
    func componentIsEncodedAndDecoded(_ text: String, _ encoded: String) {
        #expect(PercentEncoding.encode(text) == encoded)
        #expect(PercentEncoding.decode(encoded) == text)
        #expect(PercentEncoding.decode(exactly: encoded) == text)
        #expect(PercentEncoding.decode(encoded.lowercased()).utf8.count == text.utf8.count)
    }

    @Test(arguments: [
        (PercentEncodeSet.control, "\u{1}?#é", "%01?#%C3%A9"),
        (.fragment, "a b`c#", "a%20b%60c#"),
        (.query, "a b#c'd&e=f", "a%20b%23c'd&e=f"),
        (.path, "/a b/?^{}`|", "/a%20b/%3F%5E%7B%7D%60|"),
        (.userinfo, "u:p@/;=[]|^", "u%3Ap%40%2F%3B%3D%5B%5D%7C%5E"),
        (.form, "~!'()*", "%7E%21%27%28%29*"),
        (PercentEncodeSet(.control, adding: "aé€"), "abc", "%61bc"),
    ])
    func partIsEncodedByItsSet(_ set: PercentEncodeSet, _ text: String, _ encoded: String) {
        #expect(PercentEncoding.encode(text, set) == encoded)
    }

    @Test(arguments: [
        ("%", "%"), ("%%", "%%"), ("%4", "%4"), ("%4g", "%4g"), ("a%", "a%"), ("%zz%41", "%zzA"), ("%%41", "%A"),
        ("%ff", "\u{fffd}"), ("%C3%28", "\u{fffd}("), ("%ED%A0%80", "\u{fffd}\u{fffd}\u{fffd}"),
        ("%C0%AF", "\u{fffd}\u{fffd}"),
    ])
    func malformedTextIsDecodedAsInBrowsers(_ encoded: String, _ text: String) {
        #expect(PercentEncoding.decode(encoded) == text)
        #expect(PercentEncoding.decode(exactly: encoded) == nil)
    }

    @Test func plusIsASpaceOnlyInForms() {
        #expect(PercentEncoding.decode("a+b%2Bc") == "a+b+c")
        #expect(PercentEncoding.decode("a+b%2Bc", plusAsSpace: true) == "a b+c")
        #expect(PercentEncoding.decode(exactly: "a+b", plusAsSpace: true) == "a b")
        #expect(PercentEncoding.encode("a b+c", .form, spaceAsPlus: true) == "a+b%2Bc")
        #expect(PercentEncoding.encode("a b", .control, spaceAsPlus: true) == "a+b")
    }

    @Test(arguments: [
        ("/a b/%41%2f%", "/a%20b/%41%2f%25"), ("%2", "%252"), ("%zz", "%25zz"), ("100%", "100%25"), ("%%20", "%25%20"),
        ("/users/é", "/users/%C3%A9"), ("/[x]|\\", "/%5Bx%5D%7C%5C"), ("/a'b(c)!*~$&+,;=:@", "/a'b(c)!*~$&+,;=:@"),
    ])
    func partlyEncodedPathIsCompleted(_ text: String, _ encoded: String) {
        #expect(PercentEncoding.complete(text, .strictPath) == encoded)
        #expect(PercentEncoding.complete(encoded, .strictPath) == encoded)
    }

    @Test func segmentsAreEscaped() {
        #expect(PercentEncoding.path(segments: "users", 7, "a/b?c#d%20e") == "/users/7/a%2Fb%3Fc%23d%2520e")
        #expect(PercentEncoding.path(segments: "..", ".", "...", "a..") == "/%2E%2E/%2E/.../a..")
        #expect(PercentEncoding.path(segments: "a\nb", "", "😀"[...]) == "/a%0Ab//%F0%9F%98%80")
        #expect(PercentEncoding.path().isEmpty)
    }

    @Test func scalarsOfEveryLengthAreDecoded() {
        let numbers = Array(0...0x3000) + Array(stride(from: 0x3000, through: 0x10ffff, by: 97))
        let everything = String(String.UnicodeScalarView(numbers.compactMap(Unicode.Scalar.init)))
        for set in [PercentEncodeSet.component, .form] {
            let encoded = PercentEncoding.encode(everything, set)
            #expect(encoded.utf8.allSatisfy { $0 == UInt8(ascii: "%") || !set.contains($0) })
            #expect(PercentEncoding.decode(exactly: encoded)?.utf8.elementsEqual(everything.utf8) == true)
        }
    }

    @Test func textWithoutEscapesIsNotCopied() {
        let text = String(repeating: "abcdefgh-._~", count: 1000)
        let encoded = PercentEncoding.encode(text)
        let decoded = PercentEncoding.decode(text)
        #expect(text.address == encoded.address)
        #expect(text.address == decoded.address)
    }

    @Test func longTextIsEncoded() {
        let encoded = PercentEncoding.encode(String(repeating: "ä ", count: 300_000))
        #expect(encoded.utf8.count == 300_000 * 9)
        #expect(PercentEncoding.decode(encoded).utf8.count == 300_000 * 3)
    }
}

extension String {
    /// The address of the bytes of a text that is not stored inline.
    fileprivate var address: UnsafePointer<UInt8>? {
        utf8.withContiguousStorageIfAvailable(\.baseAddress) ?? nil
    }
}
