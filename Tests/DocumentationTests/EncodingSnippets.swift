import Foundation
import TangoRequest
import Testing

@testable import TestSupport

/// The snippets of the doc comments on URLs, queries, forms, types and JSON literals.
@Suite struct EncodingSnippets {
    private let files = ScratchFiles()

    @Test func percentEncoding() {
        let name = PercentEncoding.encode("50% Äpfel & Birnen")
        let path = PercentEncoding.path(segments: "users", "a/b", 7)
        let text = PercentEncoding.decode("caf%C3%A9")
        #expect(name == "50%25%20%C3%84pfel%20%26%20Birnen")
        #expect(path == "/users/a%2Fb/7")
        #expect(text == "café")
    }

    @Test func query() throws {
        let author = 3
        let since: Date? = nil
        var query: Query = [
            "author": author, "tags": ["a", "b"], "draft": true, "since": since, "in": ["x": 1, "to": "c"],
        ]
        query.append("a&b", named: "title")
        #expect(
            try query.encoded() == "author=3&tags=a&tags=b&draft=true&in%5Bto%5D=c&in%5Bx%5D=1&title=a%26b")
    }

    @Test func mixedList() throws {
        let query: Query = ["page": 2, "ids": [1, "b", nil] as QueryValue]
        #expect(try query.encoded() == "page=2&ids=1&ids=b")
    }

    @Test func convertible() throws {
        struct Area: Encodable, QueryConvertible {
            var north = 0.5, east = 2
            var queryValue: QueryValue { "\(north),\(east)" }
        }
        let query: Query = ["within": Area(), "page": 1, "q": nil]
        #expect(try query.encoded() == "within=0.5%2C2&page=1")
    }

    @Test func queryOfAType() throws {
        struct Filter: Encodable {
            var author: Int?
            var tags = ["a", "b"]
            var range = ["from": 1, "to": 9]
        }
        let query = Query(encoding: Filter(author: 3))
        #expect(try query.encoded(QueryStyle(nesting: .dots)) == "author=3&tags=a&tags=b&range.from=1&range.to=9")
    }

    @Test func parsing() {
        let query = Query(parsing: "q=caf%C3%A9+bar&tag=a&tag=b")
        #expect(query["q"] == "café bar")
        #expect(query.all("tag") == ["a", "b"])
    }

    @Test func style() throws {
        var style = QueryStyle()
        style.arrays = .brackets
        style.booleans = .digits
        #expect(try Query(["tags": ["a", "b"]]).encoded(style) == "tags%5B%5D=a&tags%5B%5D=b")
        #expect(try Query(["draft": true]).encoded(style) == "draft=1")
    }

    @Test func multipart() throws {
        let picture = try files.file("Ada.heic", Data("picture".utf8))
        var form = Multipart()
        form.append("Ada", named: "name")
        form.append(Data("{}".utf8), named: "details", type: .json)
        form.append(file: picture, named: "picture")

        let short: Multipart = [.text("Ada", named: "name"), .file(picture, named: "picture", type: "image/heic")]
        #expect(form.parts.last?.type == short.parts.last?.type)
        #expect(try form.encoded().count > short.encoded().count)
    }

    @Test func mimeType() {
        let type = MIMEType(parsing: "Text/HTML; Charset=\"UTF-8\"")
        #expect(type == "text/html; charset=UTF-8")
        #expect(type?.charset == "utf-8")
        #expect(MIMEType.png.matches("image/*"))
        #expect(MIMEType(fileExtension: "webp") == "image/webp")
    }

    @Test func jsonFields() throws {
        let title = "Hello"
        let score: Double? = nil
        let fields: JSONFields = ["title": title, "tags": ["a"], "author": ["id": 1], "draft": nil, "score": score]
        #expect(
            try String(decoding: fields.encoded(), as: UTF8.self)
                == #"{"title":"Hello","tags":["a"],"author":{"id":1},"draft":null,"score":null}"#)
    }

    @Test func jsonLiterals() throws {
        let text = "query { user { name } }"
        let cursor: String? = nil
        let fields = JSONFields(["query": text, "variables": ["id": 1, "after": cursor, "in": [["q": "a", "n": 1]]]])
        #expect(
            try String(decoding: fields.encoded(), as: UTF8.self) == #"{"query":"query { user { name } }","#
                + #""variables":{"id":1,"after":null,"in":[{"q":"a","n":1}]}}"#)
    }

    @Test func jsonConvertible() throws {
        struct Place: Codable, Sendable, JSONConvertible { var city = "Rome" }

        let body = Body.json(["at": Place(), "by": ["name": "Ada", "id": 1, "from": Place()]])
        guard case .data(let data) = body.content else { throw NothingThrown() }
        #expect(
            String(decoding: data, as: UTF8.self)
                == #"{"at":{"city":"Rome"},"by":{"name":"Ada","id":1,"from":{"city":"Rome"}}}"#)
    }
}
