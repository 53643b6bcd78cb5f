import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Bodies", and tests of the claims of that article.
@Suite struct BodiesSnippets: SampleAPI {
    typealias Request<Output: Sendable> = SampleRequest<Output>

    private let files = ScratchFiles()

    /// Sends a body. Returns the text and the content type that the server receives.
    private func sent(_ body: Body) async throws -> (text: String, type: String?) {
        let server = try LoopbackServer()
        server.answer("/", with: .status(204))
        _ = try await client.send(HTTPRequest(method: .post, url: server.url("/"), body: body))
        let request = try await server.next()
        return (request.text, request.headers["Content-Type"])
    }

    @Test func json() async throws {
        let score: Double? = nil
        let fields = Body.json(["title": "Hello", "tags": ["a"], "author": ["id": 1, "name": nil], "score": score])
        let (text, type) = try await sent(fields)
        #expect(text == #"{"title":"Hello","tags":["a"],"author":{"id":1,"name":null},"score":null}"#)
        #expect(type == "application/json")
    }

    @Test func values() async throws {
        final class SavePost: Request<Post> {
            let post: Post
            init(_ post: Post) { self.post = post }
            override var endpoint: Endpoint { .put("/posts/\(post.id)", body: .json(post)) }
        }
        #expect(try await SavePost(Post(id: 1, title: "Hello")).promise.value.id == 1)
        // Other snippets send such requests as well.
        let sent = server.requests.filter { $0.method == "PUT" && $0.path == "/posts/1" }
        #expect(sent.contains { (try? JSONDecoder().decode(Post.self, from: $0.body)) == Post(id: 1, title: "Hello") })
    }

    @Test func mixedLiterals() async throws {
        let post = Post(id: 1, title: "Hello")
        let call = Body.json(["method": "save", "params": [1, "a", nil, ["z": true, "a": "b"]]])
        let order = Body.json(["post": post, "ids": [1, 2], "meta": ["source": "app", "version": 2]])
        #expect(try await sent(call).text == #"{"method":"save","params":[1,"a",null,{"z":true,"a":"b"}]}"#)
        let text = try await sent(order).text
        // The encoder writes the properties of a type in no fixed order.
        #expect(text.hasPrefix(#"{"post":{"#))
        #expect(text.hasSuffix(#"},"ids":[1,2],"meta":{"source":"app","version":2}}"#))
    }

    @Test func fieldsByParts() async throws {
        let post = Post(id: 1, title: "Hello")
        let note: String? = nil
        var fields: JSONFields = ["post": post]
        if let note { fields.append(note, named: "note") }
        fields.append(JSONFields(["z": 1, "a": note]), named: "meta")
        let body = Body.json(fields)
        #expect(try await sent(body).text.hasSuffix(#"},"meta":{"z":1,"a":null}}"#))
    }

    @Test func valuesThatCannotBeEncoded() async throws {
        let client = client
        let error = try await thrown {
            try await client.post("/posts", body: .json(["score": Double.infinity]), as: Data.self).value
        }
        #expect(error.code == .notEncodable)
        #expect(error.phase == .prepare)
    }

    @Test func forms() async throws {
        let form = Body.form(["name": "Ada Lovelace", "tags": ["a", "b"]], style: QueryStyle(arrays: .brackets))
        let (text, type) = try await sent(form)
        #expect(text == "name=Ada+Lovelace&tags%5B%5D=a&tags%5B%5D=b")
        #expect(type == "application/x-www-form-urlencoded")
    }

    @Test func formsWithFiles() async throws {
        let picture = try files.file("Ada.png", Data("picture".utf8))
        var parts = Multipart()
        parts.append("Ada", named: "name")
        parts.append(Data("{}".utf8), named: "details", type: .json)
        parts.append(file: picture, named: "picture")
        let upload = Body.multipart(parts)
        let (text, type) = try await sent(upload)
        #expect(text.contains("picture"))
        #expect(text.contains("image/png"))
        #expect(type == "multipart/form-data; boundary=\(parts.boundary)")
    }

    @Test func missingFileIsRejected() async throws {
        let client = client
        let nowhere = URL(fileURLWithPath: "/nowhere/film.mp4")
        for body in [Body.file(nowhere), .multipart([.file(nowhere, named: "film")])] {
            let error = try await thrown { try await client.post("/posts", body: body, as: Data.self).value }
            #expect(error.code == .badBody)
            #expect(error.phase == .prepare)
        }
    }

    @Test func aFile() async throws {
        let url = try files.file("film.mp4", Data("film".utf8))
        let film = Body.file(url, contentType: "video/mp4")
        let (text, type) = try await sent(film)
        #expect(text == "film")
        #expect(type == "video/mp4")
    }

    @Test func streams() async throws {
        let portions = AsyncStream<Data> { stream in
            stream.yield(Data("{}\n".utf8))
            stream.finish()
        }
        let once = Body.stream(portions, contentType: "application/x-ndjson")
        let again = Body.stream(length: 5) {
            AsyncStream<Data> { stream in
                stream.yield(Data("hello".utf8))
                stream.finish()
            }
        }
        #expect(try await sent(once).text == "{}\n")
        #expect(try await sent(again).text == "hello")
        #expect(try await sent(again).text == "hello")
        let error = try await thrown { try await sent(once) }
        #expect(error.code == .bodyNotReplayable)
        #expect([once, again].map(\.isReplayable) == [false, true])
    }

    @Test(arguments: [4, 6])
    func streamOfAnotherLengthThanAnnouncedFails(_ length: Int) async throws {
        let body = Body.stream(
            AsyncStream<Data> { stream in
                stream.yield(Data("hello".utf8))
                stream.finish()
            }, length: length)
        let error = try await thrown { try await sent(body) }
        #expect(error.code == .badBody)
    }

    @Test func bodyOfHeadIsRejected() async throws {
        let error = try await thrown {
            try await client.send(HTTPRequest(method: .head, url: server.url("/users/1"), body: .string("a")))
        }
        #expect(error.code == .unsupported)
    }
}
