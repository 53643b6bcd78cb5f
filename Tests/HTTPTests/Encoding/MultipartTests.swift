import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct MultipartTests {
    private let folder = ScratchFiles()

    @Test func formIsEncodedAsInBrowsers() throws {
        let picture = try folder.file("ä \"1\".png", Data("PNG".utf8))
        let form = try Multipart(
            boundary: "b",
            parts: [
                .text("Ada\r\n--b", named: "name"), .data(Data("{}".utf8), named: "json", type: .json),
                .data(Data("x".utf8), named: "raw"), .data(Data(), named: "doc", fileName: "a.pdf"),
                .file(picture, named: "picture"), .file(picture, named: "p2", fileName: "x", type: "image/heic"),
                .text("t", named: "typed", type: .html, headers: [("X-A", "1"), ("X-A", "b c")]),
            ])
        #expect(
            String(decoding: try form.encoded(), as: UTF8.self)
                == [
                    "--b", "Content-Disposition: form-data; name=\"name\"", "", "Ada", "--b",
                    "--b", "Content-Disposition: form-data; name=\"json\"", "Content-Type: application/json", "", "{}",
                    "--b", "Content-Disposition: form-data; name=\"raw\"", "", "x",
                    "--b", "Content-Disposition: form-data; name=\"doc\"; filename=\"a.pdf\"",
                    "Content-Type: application/pdf", "", "",
                    "--b", "Content-Disposition: form-data; name=\"picture\"; filename=\"ä %221%22.png\"",
                    "Content-Type: image/png", "", "PNG",
                    "--b", "Content-Disposition: form-data; name=\"p2\"; filename=\"x\"", "Content-Type: image/heic",
                    "", "PNG",
                    "--b", "Content-Disposition: form-data; name=\"typed\"", "Content-Type: text/html", "X-A: 1",
                    "X-A: b c", "",
                    "t", "--b--", "",
                ].joined(separator: "\r\n"))
        #expect(form.contentType.description == "multipart/form-data; boundary=b")
    }

    @Test func formMayBeEmpty() throws {
        #expect(try Multipart(boundary: "b").encoded() == Data("--b--\r\n".utf8))
    }

    @Test func formIsCreatedByAppendingOrALiteral() throws {
        let file = try folder.file("a.txt", Data("f".utf8))
        var form = Multipart()
        form.append("Ada", named: "name")
        form.append(Data("d".utf8), named: "data", fileName: "d.json")
        form.append(file: file, named: "file")
        let literal: Multipart = [
            .text("Ada", named: "name"), .data(Data("d".utf8), named: "data", fileName: "d.json"),
            .file(file, named: "file"),
        ]
        let one = try Multipart(boundary: "b", parts: form.parts).encoded()
        #expect(try Multipart(boundary: "b", parts: literal.parts).encoded() == one)
    }

    @Test func boundaryIsRandomAndValid() throws {
        let boundaries = (0..<100).map { _ in Multipart().boundary }
        #expect(Set(boundaries).count == 100)
        for boundary in boundaries {
            #expect(boundary.utf8.count == 38)
            #expect(try Multipart(boundary: boundary).contentType["boundary"] == boundary)
        }
    }

    @Test(arguments: ["", "a ", "a\r\n", "é", "a\"b", "a\u{0}", "a;b", String(repeating: "x", count: 71)])
    func malformedBoundaryIsRejected(_ boundary: String) throws {
        let error = try #require(throws: RequestEncodingError.self) { try Multipart(boundary: boundary) }
        #expect(error.code == .badHeader)
    }

    @Test func boundaryWithPunctuationIsQuoted() throws {
        let form = try Multipart(boundary: "a b:c/d=(e)")
        #expect(form.contentType.description == "multipart/form-data; boundary=\"a b:c/d=(e)\"")
    }

    @Test(arguments: [
        ("plain", "plain"), ("a\"b", "a%22b"), ("a\r\nX-Evil: 1", "a%0D%0AX-Evil: 1"), ("a\nb", "a%0Ab"),
        ("a\rb", "a%0Db"),
        ("\r\n\r\n<html>", "%0D%0A%0D%0A<html>"), ("é日😀", "é日😀"), ("100%", "100%"), ("%22", "%22"), ("a\\b", "a\\b"),
        ("a; filename=b", "a; filename=b"), ("a'b", "a'b"), ("\u{0}\u{7f}\t", "%00%7F%09"), ("", ""),
        ("\r\u{301}\n", "%0D\u{301}%0A"), ("\u{2028}\u{85}", "\u{2028}\u{85}"),
    ])
    func namesAreEscaped(_ name: String, _ escaped: String) throws {
        let part = Multipart.Part.data(Data(), named: name, fileName: name, type: .json)
        let head = try part.head()
        #expect(
            head == "Content-Disposition: form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"
                + "Content-Type: application/json\r\n\r\n")
        #expect(head.utf8.count { $0 == UInt8(ascii: "\n") } == 3)
    }

    @Test(arguments: [
        ("X-A", "a\r\nX-B: c"), ("X-A", "a\nb"), ("X-A", "a\u{0}"), ("X-A\r\nX-B", "a"), ("X A", "a"), ("", "a"),
        ("X:", "a"),
        ("Content-Type", "text/html"), ("content-disposition", "form-data"), ("Ä", "a"),
    ])
    func headersCannotBeInjected(_ name: String, _ value: String) throws {
        let form: Multipart = [.text("t", named: "n", headers: [(name, value)])]
        let error = try #require(throws: RequestEncodingError.self) { try form.reader() }
        #expect(error.code == .badHeader)
        #expect(error.message.utf8.allSatisfy { $0 >= 0x20 })
    }

    @Test(arguments: ["text", "", "text/html\r\nX-Evil: 1", "a b/c"])
    func malformedTypeIsRejected(_ type: String) throws {
        let form: Multipart = [.data(Data(), named: "n", type: MIMEType(stringLiteral: type))]
        let error = try #require(throws: RequestEncodingError.self) { try form.encoded() }
        #expect(error.code == .badHeader)
    }

    @Test(arguments: [
        ("a.png", "image/png"), ("a.JPG", "image/jpeg"), ("a", "application/octet-stream"),
        ("a.unknown", "application/octet-stream"), ("a.tar.gz", "application/gzip"),
    ])
    func fileHasTheTypeOfItsName(_ name: String, _ type: MIMEType) throws {
        let url = folder.url.appendingPathComponent(name)
        #expect(Multipart.Part.file(url, named: "f").type == type)
        #expect(Multipart.Part.data(Data(), named: "f", fileName: name).type == type)
        #expect(Multipart.Part.file(url, named: "f", type: .html).type == .html)
        #expect(Multipart.Part.file(url, named: "f").fileName == name)
    }
}
