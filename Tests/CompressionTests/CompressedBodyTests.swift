import Foundation
import LoopbackServer
import TangoAuth
import TangoPromise
import Testing

@testable import TangoCompression
@testable import TangoTesting
@testable import TestSupport

/// Compressed bodies on real connections.
@Suite(.timeLimit(.minutes(20)))
struct CompressedBodyTests {
    private let site: Site
    private let text = String(repeating: "a body that compresses well; ", count: 20_000)

    init() throws {
        site = try Site()
        site.server.answer("/a", with: .text("done"))
    }

    private func send(_ body: Body, headers: Headers = [:], by client: Client? = nil) async throws -> RecordedRequest {
        let call: Promise<String> = (client ?? site.client()).post("/a", headers: headers, body: body)
        #expect(try await call.value == "done")
        return try #require(site.server.requests.last)
    }

    @Test func dataHasItsCodingAndItsLength() async throws {
        let request = try await send(Body.string(text).compressed())
        #expect(request.headers.all("Content-Encoding") == ["gzip"])
        #expect(request.headers["Content-Type"] == "text/plain; charset=utf-8")
        #expect(request.headers["Content-Length"] == "\(request.body.count)")
        #expect(request.body.count < text.utf8.count / 50)
        #expect(try Gunzip.bytes(of: request.body) == Data(text.utf8))
    }

    @Test func valuesAreEncodedByTheClientFirst() async throws {
        struct Value: Codable, Sendable { let firstName: String }
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let client = site.client(json: JSONCoding(encoder: encoder))
        let request = try await send(.json(Value(firstName: "Ada")).compressed(), by: client)
        #expect(try Gunzip.bytes(of: request.body) == Data(#"{"first_name":"Ada"}"#.utf8))
        #expect(request.headers["Content-Type"] == "application/json")
    }

    @Test(arguments: [0, 1, 255 << 10, 256 << 10, 700_001])
    func filesAreCompressedInPortions(_ count: Int) async throws {
        let files = ScratchFiles()
        let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let file = try files.file("upload", bytes)
        let request = try await send(Body.file(file, contentType: "text/csv").compressed())
        #expect(request.headers["Content-Encoding"] == "gzip")
        #expect(request.headers["Transfer-Encoding"] == "chunked")
        #expect(request.headers["Content-Type"] == "text/csv")
        #expect(try Gunzip.bytes(of: request.body) == bytes)
    }

    @Test func streamsAreCompressedInPortions() async throws {
        let body = Body.stream(length: 4) {
            AsyncStream<Data> { continuation in
                for part in ["ab", "", "cd"] { continuation.yield(Data(part.utf8)) }
                continuation.finish()
            }
        }
        let request = try await send(body.compressed())
        #expect(request.headers["Content-Length"] == nil)
        #expect(try Gunzip.bytes(of: request.body) == Data("abcd".utf8))
    }

    @Test func streamOfAnotherLengthFails() async throws {
        let body = Body.stream(length: 3) {
            AsyncStream<Data> { continuation in
                continuation.yield(Data("abcd".utf8))
                continuation.finish()
            }
        }
        let promise: Promise<String> = site.client().post("/a", body: body.compressed())
        #expect(await refusal(of: promise)?.code == .badBody)
    }

    @Test func emptyBodiesStayAsTheyAre() async throws {
        for body in [Body.none, .data(Data())] {
            let request = try await send(body.compressed())
            #expect(request.headers["Content-Encoding"] == nil)
            #expect(request.body.isEmpty)
        }
    }

    @Test func nothingIsCompressedTwice() async throws {
        let request = try await send(Body.string(text).compressed().compressed())
        #expect(request.headers.all("Content-Encoding") == ["gzip"])
        #expect(try Gunzip.bytes(of: request.body) == Data(text.utf8))
        let body = Body.string(text).compressed()
        let promise: Promise<String> = site.client().post("/a", headers: ["Content-Encoding": "br"], body: body)
        let error = await refusal(of: promise)
        #expect(error?.code == .badBody)
        #expect(error?.detail.contains("remove one of them") == true, "\(error?.detail ?? "")")
        #expect(site.server.requests.count == 1)
    }

    @Test func sentMessageCanBeSentAgain() async throws {
        let client = site.client()
        let message = HTTPRequest(method: .post, url: site.server.url("/a"), body: Body.string(text).compressed())
        let sent = try await client.send(message).request
        let again = try await client.send(try #require(sent)).request
        #expect(again?.headers.all("Content-Encoding") == ["gzip"])
        for request in site.server.requests { #expect(try Gunzip.bytes(of: request.body) == Data(text.utf8)) }
        #expect(site.server.requests.count == 2)
    }

    @Test func missingFileIsAnErrorBeforeAnythingIsSent() async throws {
        let files = ScratchFiles()
        let body = Body.file(files.url.appending(path: "none")).compressed()
        let promise: Promise<String> = site.client().post("/a", body: body)
        #expect(await refusal(of: promise)?.code == .badBody)
        #expect(site.server.requests.isEmpty)
    }

    // MARK: Features that meet it

    @Test(arguments: [true, false]) func retriesSendTheSameBytes(_ isFile: Bool) async throws {
        site.server.enqueue(.status(503))
        site.server.enqueue(.text("done"))
        let files = ScratchFiles()
        let body = isFile ? Body.file(try files.file("upload", Data(text.utf8))) : .string(text)
        let client = site.client().with { $0.retryPolicy = .exponential(attempts: 2, base: .milliseconds(1)) }
        let promise: Promise<String> = client.put("/b", body: body.compressed())
        #expect(try await promise.value == "done")
        let bodies = site.server.requests.map(\.body)
        #expect(bodies.count == 2)
        #expect(bodies.first == bodies.last)
        #expect(try Gunzip.bytes(of: bodies[1]) == Data(text.utf8))
    }

    @Test func redirectsKeepOrDropTheBody() async throws {
        site.server.answer("/same", with: .redirect(to: "/a", status: 307))
        site.server.answer("/dropped", with: .redirect(to: "/a", status: 303))
        for path in ["/same", "/dropped"] {
            let promise: Promise<String> = site.client().post(path, body: Body.string(text).compressed())
            #expect(try await promise.value == "done")
        }
        let (same, dropped) = (site.server.requests[1], site.server.requests[3])
        #expect(same.headers["Content-Encoding"] == "gzip")
        #expect(try Gunzip.bytes(of: same.body) == Data(text.utf8))
        #expect(dropped.headers["Content-Encoding"] == nil)
        #expect(dropped.body.isEmpty)
    }

    /// The signature names the digest of the bytes that the server gets.
    @Test func signaturesAreThoseOfTheCompressedBytes() async throws {
        let credentials = AWSCredentials(keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        let signature = AWSSignature(credentials: credentials, region: "eu-west-1", service: "s3")
        let client = site.client().with { $0.attemptInterceptors = [SigningInterceptor(signature)] }
        let request = try await send(Body.string(text).compressed(), by: client)
        #expect(request.headers["X-Amz-Content-Sha256"] == SHA256.hex(request.body))
        #expect(try Gunzip.bytes(of: request.body) == Data(text.utf8))
    }

    @Test func recordingsShowTheBytesWithoutSecrets() async throws {
        let files = ScratchFiles()
        let file = files.url.appending(path: "calls.har")
        let recorder = try HARRecorder(file: file)
        let client = site.client(observers: [recorder])
        let body = Body.json(["password": "correct-horse-battery", "name": "Ada"]).compressed()
        _ = try await send(body, by: client)
        await client.shutdown()
        recorder.close()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("Ada"))
        #expect(!text.contains("correct-horse"))
        #expect(text.contains("Content-Encoding"))
        let replay = try HARReplay(file: file)
        let replayed = site.client().with { $0.transport = replay }
        let answer: Promise<String> = replayed.post("/a", body: body)
        #expect(try await answer.value == "done")
    }

    @Test func commandHasTheBytesBefore() throws {
        final class Send: Request<Void> {
            override var client: Client { Client(baseURL: URL(string: "https://example.com")) }
            override var endpoint: Endpoint {
                .post("/a", body: .json(["password": "correct-horse-battery", "name": "Ada"]).compressed())
            }
        }
        let command = try Send().curlCommand()
        #expect(command.contains("Ada"))
        #expect(!command.contains("correct-horse"))
        #expect(!command.contains("Content-Encoding"))
    }

    @Test func errorsHideSecretsOfTheBody() async throws {
        site.server.answer("/b", with: .text("no: correct-horse-battery", status: 400))
        let body = Body.json(["password": "correct-horse-battery"]).compressed()
        let promise: Promise<String> = site.client().post("/b", body: body)
        let error = try #require(await refusal(of: promise))
        #expect(!error.debugDescription.contains("correct-horse"))
        #expect(!"\(error)".contains("correct-horse"))
    }

    #if os(Linux)
        @Test func withoutTheLibraryTheErrorSaysSo() async throws {
            let child = try await RequestChild(
                "compressedBody", environment: ["TANGO_ZLIB_LIBRARY": "/nonexistent/libz.so"])
            for kind in ["data", "file", "stream"] {
                #expect(child[kind]?.hasPrefix("unsupported zlib is missing, so the body cannot be compressed") == true)
            }
        }
    #endif

    // MARK: Values

    @Test func descriptionIsThatOfTheBody() throws {
        let body = Body.string("abc").compressed()
        #expect("\(body)" == "3 bytes of text/plain; charset=utf-8")
        #expect(body.isReplayable)
        let (stream, _) = AsyncStream<Data>.makeStream()
        #expect(try !Body.stream(stream).compressed().encoded(with: .default).isReplayable)
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 1_000_000]) func anyDataPasses(_ count: Int) throws {
        var numbers = SystemRandomNumberGenerator()
        let data = Data((0..<count).map { _ in UInt8.random(in: 0...UInt8.max, using: &numbers) })
        let slice = (Data([1, 2]) + data).dropFirst(2)
        #expect(try Gunzip.bytes(of: Deflation.gzip(data)) == data)
        #expect(try Deflation.gzip(slice) == Deflation.gzip(data))
    }
}

/// The decoding of gzip with zlib.
enum Gunzip {
    static func bytes(of data: Data) throws -> Data {
        var inflation = Inflation(Decompression(ratio: .max))
        try inflation.readGzip(data)
        return inflation.output
    }
}
