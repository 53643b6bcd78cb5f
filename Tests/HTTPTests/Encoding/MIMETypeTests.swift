import TangoRequest
import Testing

@testable import TestSupport

@Suite struct MIMETypeTests {
    /// Texts with their parsed types. Many rows are from the tests of the WHATWG MIME Sniffing standard.
    @Test(arguments: [
        ("text/html", "text/html"),
        ("Text/HTML", "text/html"),
        (" text/html ", "text/html"),
        ("\ttext/html\r\n", "text/html"),
        ("text/html;charset=gbk", "text/html; charset=gbk"),
        ("text/html; charset=utf-8", "text/html; charset=utf-8"),
        ("TEXT/HTML;CHARSET=GBK", "text/html; charset=GBK"),
        ("text/html;charset=\"utf-8\"", "text/html; charset=utf-8"),
        ("text/html;charset=gbk;charset=windows-1255", "text/html; charset=gbk"),
        ("text/html;charset=();charset=GBK", "text/html; charset=\"()\""),
        ("text/html;charset =gbk", "text/html"),
        ("text/html ;charset=gbk", "text/html; charset=gbk"),
        ("text/html; charset=gbk ", "text/html; charset=gbk"),
        ("text/html;charset= gbk", "text/html; charset=\" gbk\""),
        ("text/html;charset=\" gbk\"", "text/html; charset=\" gbk\""),
        ("text/html;charset='gbk'", "text/html; charset='gbk'"),
        ("text/html;charset=gbk(", "text/html; charset=\"gbk(\""),
        ("text/html;;;;charset=gbk", "text/html; charset=gbk"),
        ("text/html;charset=;charset=GBK", "text/html; charset=GBK"),
        ("text/html;charset", "text/html"),
        ("text/html;charset=", "text/html"),
        ("text/html;", "text/html"),
        ("text/html;charset=\"gbk", "text/html; charset=gbk"),
        ("text/html;charset=gbk\"", "text/html; charset=\"gbk\\\"\""),
        ("text/html;charset=\"g\\bk\"", "text/html; charset=gbk"),
        ("text/html;charset=\"g\\\"k\\\\\"", "text/html; charset=\"g\\\"k\\\\\""),
        ("text/html;x=\"\\\"\u{301}\"", "text/html; x=\"\\\"\u{301}\""),
        ("text/html;charset=\"\\", "text/html; charset=\"\\\\\""),
        ("text/html;charset=\"\"", "text/html; charset=\"\""),
        ("text/html;charset=\"gbk\"x;a=b", "text/html; charset=gbk; a=b"),
        ("text/html;test;charset=gbk", "text/html; charset=gbk"),
        ("text/html;test=;charset=gbk", "text/html; charset=gbk"),
        ("text/html;';charset=gbk", "text/html; charset=gbk"),
        ("text/html;=x;charset=gbk", "text/html; charset=gbk"),
        ("text/html;a b=x;charset=gbk", "text/html; charset=gbk"),
        ("text/html;x=\u{1};charset=gbk", "text/html; charset=gbk"),
        ("text/html;x=\"a\r\nb\";charset=gbk", "text/html; charset=gbk"),
        ("text/html;x=é", "text/html; x=\"é\""),
        ("multipart/form-data; boundary=----a;b", "multipart/form-data; boundary=----a"),
        ("multipart/form-data; boundary=\"a;b=c\"", "multipart/form-data; boundary=\"a;b=c\""),
        ("x/x;x=x;y=y", "x/x; x=x; y=y"),
        ("!#$%&'*+-.^_`|~09az/!#$%&'*+-.^_`|~09AZ", "!#$%&'*+-.^_`|~09az/!#$%&'*+-.^_`|~09az"),
        ("image/*;q=0.8", "image/*; q=0.8"),
        ("*/*", "*/*"),
        ("application/vnd.api+json; profile=\"https://h/a b\"", "application/vnd.api+json; profile=\"https://h/a b\""),
    ])
    func typeIsParsed(_ text: String, _ written: String) throws {
        let type = try #require(MIMEType(parsing: text))
        #expect(type.description == written)
        #expect(MIMEType(parsing: written) == type)
    }

    @Test(arguments: [
        "", " ", "/", "text", "text/", "/html", "text html", "te xt/html", "text/ht ml", "text/html/x", "text /html",
        "text/ html", "bogus", "bogus;x/y", "te\u{0}xt/html", "text/html\u{0}", "(/)", "text,/html", "tëxt/html",
        "text/html,text/plain",
        "\u{0c}text/html", ";charset=utf-8", "text\r\n/html",
    ])
    func malformedTypeIsNotParsed(_ text: String) {
        #expect(MIMEType(parsing: text) == nil)
        let literal = MIMEType(stringLiteral: text)
        #expect(!literal.isValid)
        #expect(literal.description == text)
    }

    @Test func typeHasParts() throws {
        let type = try #require(MIMEType(parsing: "Text/Plain; Charset=UTF-8; Format=flowed"))
        #expect(type.type == "text")
        #expect(type.subtype == "plain")
        #expect(type.essence == "text/plain")
        #expect(type["CHARSET"] == "UTF-8")
        #expect(type["none"] == nil)
        #expect(type.charset == "utf-8")
        #expect(type.parameters.map(\.name) == ["charset", "format"])
        #expect(
            type.with("charset", "x").with("A", "b c").description == "text/plain; charset=x; format=flowed; a=\"b c\"")
        #expect(type.with("a b", "x") == type)
        #expect(type.with("a", "x\r\ny") == type)
        #expect(MIMEType.json.charset == nil)
        #expect(MIMEType.text.charset == "utf-8")
    }

    @Test(
        arguments: [
            ("image/png", "image/*", true), ("image/png", "*/*", true), ("image/png", "image/png", true),
            ("image/png", "IMAGE/PNG", true), ("image/png", "image/jpeg", false), ("image/png", "text/*", false),
            ("image/png", "image/*;q=0.8", true), ("text/plain;charset=utf-8", "text/plain", true),
            ("text/plain;charset=UTF-8", "text/plain;charset=utf-8", true),
            ("text/plain", "text/plain;charset=utf-8", false),
            ("text/plain;charset=latin1", "text/plain;charset=utf-8", false), ("image/*", "image/png", false),
            ("application/json", "application/vnd.api+json", false),
        ] as [(MIMEType, MIMEType, Bool)])
    func patternIsMatched(_ type: MIMEType, _ pattern: MIMEType, _ matches: Bool) {
        #expect(type.matches(pattern) == matches)
    }

    @Test(
        arguments: [
            ("application/json", true), ("text/json", true), ("application/problem+json; charset=utf-8", true),
            ("image/svg+xml", false), ("application/jsonp", false), ("text/html", false), ("application/json5", false),
        ] as [(MIMEType, Bool)])
    func jsonTypesAreDetected(_ type: MIMEType, _ isJSON: Bool) {
        #expect(type.isJSON == isJSON)
    }

    @Test(arguments: [
        ("json", "application/json"), ("png", "image/png"), ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"),
        ("webp", "image/webp"), ("avif", "image/avif"), ("heic", "image/heic"), ("svg", "image/svg+xml"),
        ("pdf", "application/pdf"), ("mp4", "video/mp4"), ("m4a", "audio/mp4"), ("mov", "video/quicktime"),
        ("zip", "application/zip"), ("gz", "application/gzip"), ("csv", "text/csv"), ("txt", "text/plain"),
        ("html", "text/html"), ("css", "text/css"), ("js", "text/javascript"), ("wasm", "application/wasm"),
        ("woff2", "font/woff2"), ("xml", "application/xml"), ("mp3", "audio/mpeg"), ("md", "text/markdown"),
        ("7z", "application/x-7z-compressed"), ("ics", "text/calendar"), ("usdz", "model/vnd.usdz+zip"),
        ("docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    ])
    func extensionHasAType(_ fileExtension: String, _ type: String) {
        #expect(MIMEType(fileExtension: fileExtension)?.description == type)
        #expect(MIMEType(fileExtension: "." + fileExtension.uppercased())?.description == type)
        #expect(MIMEType(fileName: "/tmp/a.b/photo.\(fileExtension)")?.description == type)
    }

    @Test(arguments: [
        "", "x", "unknown", "a.unknown", "folder.png/file", ".", "..", "a.", "png", "a.png ", "photo.png/",
    ])
    func unknownNameHasNoType(_ name: String) {
        #expect(MIMEType(fileName: name)?.description == (name == "photo.png/" ? "image/png" : nil))
    }

    @Test func theKnownTypesAreValid() {
        let types: [MIMEType] = [
            .json, .form, .octetStream, .pdf, .zip, .text, .html, .csv, .xml, .png, .jpeg, .gif, .webp, .svg, .mp4,
            .any,
        ]
        for type in types {
            #expect(type.isValid)
            #expect(MIMEType(parsing: type.description) == type)
        }
    }
}
