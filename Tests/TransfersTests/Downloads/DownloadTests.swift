import Foundation
import LoopbackServer
import TangoAuth
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Downloads over real connections to real files.
@Suite(.timeLimit(.minutes(20)))
struct DownloadTests {
    private let place: FileSite
    private let size = FileSite.size

    init() throws { place = try FileSite() }

    @Test func fileHasTheBytesOfTheBody() async throws {
        let call = place.get().start()
        let file = try await call.value
        #expect(file.url == place.target)
        #expect(file.count == size)
        #expect(file.resumedFrom == 0)
        #expect(file.response.status == 200)
        #expect(file.response.body.isEmpty)
        #expect(try Data(contentsOf: place.target) == generated(size))
        #expect(place.names == ["film.mp4"])
        let request = try #require(place.server.requests.first)
        #expect(request.headers["Accept-Encoding"] == "identity")
        #expect(request.headers["Range"] == nil)
        #expect(call.attempts.first?.bytesReceived == size)
        #expect(call.state == .finished(.success))
    }

    @Test func emptyFileIsWritten() async throws {
        place.server.answer("/film.mp4", with: Entity(bytes: 0))
        let file = try await place.get().start().value
        #expect(file.count == 0)
        #expect(try Data(contentsOf: place.target).isEmpty)
        #expect(place.names == ["film.mp4"])
    }

    @Test func chunkedBodyHasNoTotal() async throws {
        place.server.answer("/film.mp4", with: .generated(bytes: size).chunked(size: 1000))
        let call = place.get().start()
        #expect(try await call.value.count == size)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func existingFileIsReplacedInOneStep() async throws {
        _ = try place.files.file("film.mp4", Data("old".utf8))
        place.breakOff()
        #expect(await refusal(of: place.get().start().promise) != nil)
        #expect(try Data(contentsOf: place.target) == Data("old".utf8))
        _ = try await place.get().start().value
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    // MARK: Resuming

    @Test func nextCallRequestsTheMissingBytes() async throws {
        place.breakOff()
        let error = try #require(await refusal(of: place.get().start().promise))
        #expect(error.code == .connectionLost || error.code == .truncated)
        #expect(place.names.count == 2)
        let file = try await place.get().start().value
        #expect(file.resumedFrom > 0)
        #expect(file.response.status == 200)
        #expect(file.response.headers["Content-Length"] == "\(size)")
        #expect(place.ranges == [nil, "bytes=\(file.resumedFrom)-"])
        #expect(place.server.requests.last?.headers["If-Range"] == "\"1\"")
        #expect(try Data(contentsOf: place.target) == generated(size))
        #expect(place.names == ["film.mp4"])
    }

    @Test func cancelledCallIsResumed() async throws {
        let gate = Gate()
        place.server.enqueue(
            Response(headers: ["ETag": "\"1\""], body: .generated(bytes: size)).held(by: gate, at: .responseBody))
        let call = place.get().start()
        for await progress in call.progress where progress.received > 0 { break }
        call.cancel()
        #expect(await refusal(of: call.promise) == nil)
        gate.open()
        let file = try await place.get().start().value
        #expect(file.resumedFrom > 0)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func retryWithinACallResumes() async throws {
        let place = try FileSite { $0.retryPolicy = .exponential(attempts: 4, base: .zero) }
        place.breakOff()
        let call = place.get().start()
        let file = try await call.value
        #expect(file.resumedFrom == 0)
        #expect(call.attempts.map(\.cause) == [.first, .retry])
        #expect(call.attempts.first?.retry?.reason == .mayPass)
        #expect(place.ranges.last??.hasPrefix("bytes=") == true)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func changedFileStartsAnew() async throws {
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        place.server.answer("/film.mp4", with: Entity(bytes: 1000, etag: "\"2\""))
        let file = try await place.get().start().value
        #expect(file.resumedFrom == 0)
        #expect(place.ranges.last??.hasPrefix("bytes=") == true)
        #expect(try Data(contentsOf: place.target) == generated(1000))
    }

    @Test(arguments: ["bytes 1-2/300000", "bytes */300000", "nonsense"])
    func wrongPartStartsAnew(_ range: String) async throws {
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        place.server.enqueue(Response.bytes([1, 2], status: 206).header("Content-Range", range))
        let file = try await place.get().start().value
        #expect(file.resumedFrom == 0)
        #expect(place.ranges.count == 3)
        #expect(place.ranges.last == .some(nil))
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func weakValidatorIsNotUsed() async throws {
        place.server.enqueue(
            Response(headers: ["ETag": "W/\"1\""], body: .generated(bytes: size)).failing(.reset, at: .responseBody))
        _ = await refusal(of: place.get().start().promise)
        #expect(place.names.isEmpty)
        #expect(try await place.get().start().value.resumedFrom == 0)
        #expect(place.ranges == [nil, nil])
    }

    @Test func completeBytesNeedNoBody() async throws {
        // The process ended after the last byte, and before the file had its name.
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        let part = try #require(place.names.first { !$0.hasSuffix(".resume") })
        try generated(size).write(to: place.files.url.appendingPathComponent(part))
        let file = try await place.get().start().value
        #expect(place.ranges.last == "bytes=\(size)-")
        #expect(file.resumedFrom == size)
        #expect(file.response.status == 200)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func bytesOfAnotherURLAreNotUsed() async throws {
        place.server.answer("/other.mp4", with: Entity(bytes: 10))
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        let other = place.get()
        other.place = .get("/other.mp4")
        #expect(try await other.start().value.count == 10)
        #expect(place.ranges == [nil, nil])
    }

    @Test func resumeKeyNamesTheFileUnderChangingURLs() async throws {
        place.breakOff()
        let first = place.get()
        first.place = .get("/film.mp4", query: ["signature": "one"])
        first.key = "film"
        _ = await refusal(of: first.start().promise)
        let second = place.get()
        second.place = .get("/film.mp4", query: ["signature": "two"])
        second.key = "film"
        #expect(try await second.start().value.resumedFrom > 0)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func recordHasNoSecrets() async throws {
        place.breakOff()
        let request = place.get()
        request.place = .get("/film.mp4", query: ["token": "geheim"], headers: ["Authorization": "Bearer geheim"])
        _ = await refusal(of: request.start().promise)
        let name = try #require(place.names.first { $0.hasSuffix(".resume") })
        let record = try String(contentsOf: place.files.url.appendingPathComponent(name), encoding: .utf8)
        #expect(record.contains("validator"))
        for secret in ["geheim", "token", "film", "127.0.0.1", "localhost"] {
            #expect(!record.contains(secret) && !name.contains(secret))
        }
    }

    @Test(arguments: [
        "", "{}", "nonsense", "{\"version\":9,\"resource\":\"\",\"kind\":\"entityTag\",\"validator\":\"\\\"1\\\"\"}",
    ])
    func unreadableRecordStartsAnew(_ text: String) async throws {
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        let name = try #require(place.names.first { $0.hasSuffix(".resume") })
        try Data(text.utf8).write(to: place.files.url.appendingPathComponent(name))
        #expect(try await place.get().start().value.resumedFrom == 0)
        #expect(place.ranges == [nil, nil])
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    // MARK: Progress

    @Test func progressIncludesTheResumedBytes() async throws {
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let call = place.get().start()
        var all: [CallProgress] = []
        for await progress in call.progress {
            all.append(progress)
            if progress.received > 0 { gate.open() }
        }
        let file = try await call.value
        #expect(all.last == CallProgress(received: size, receivedTotal: size))
        #expect(all.first { $0.received > 0 }.map { $0.received >= file.resumedFrom } == true)
        #expect(all.compactMap(\.receivedTotal).allSatisfy { $0 == size })
        #expect(all.map(\.received) == all.map(\.received).sorted())
    }

    // MARK: Responses without a file

    @Test func errorResponseIsNotWritten() async throws {
        place.server.answer("/film.mp4", with: .text("gone", status: 404))
        let error = try #require(await refusal(of: place.get().start().promise))
        #expect(error.code == .badStatus)
        #expect(error.response?.body == Data("gone".utf8))
        #expect(place.names.isEmpty)
    }

    @Test func errorResponseKeepsWhatCanBeResumed() async throws {
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        place.server.enqueue(.text("busy", status: 503))
        #expect(try #require(await refusal(of: place.get().start().promise)).code == .badStatus)
        #expect(try await place.get().start().value.resumedFrom > 0)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func refusedTypeIsNotWritten() async throws {
        let request = place.get()
        request.rules = .contentType("video/*")
        let error = try #require(await refusal(of: request.start().promise))
        #expect(error.code == .badContentType)
        #expect(place.names.isEmpty)
    }

    @Test func rulesAboutTheBodyAcceptAFile() async throws {
        let request = place.get()
        request.rules = .status(200...200) + .business(code: "code", success: [0], message: "text")
        place.breakOff()
        _ = await refusal(of: request.start().promise)
        #expect(try await request.start().value.resumedFrom > 0)
    }

    @Test func redirectIsFollowedAndResumed() async throws {
        place.server.answer("/latest", with: .redirect(to: "/film.mp4"))
        let request = place.get()
        request.place = .get("/latest")
        place.server.enqueue(.redirect(to: "/film.mp4"))
        place.breakOff()
        _ = await refusal(of: request.start().promise)
        let file = try await request.start().value
        #expect(file.resumedFrom > 0)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    /// Files at two URLs may have the same date and the same length.
    @Test(arguments: [("/one", nil, true), ("/two", nil, false), ("/two", "key", true)] as [(String, String?, Bool)])
    func dateCountsForTheURLAfterRedirects(_ path: String, _ key: String?, isResumed: Bool) async throws {
        let dates = ("Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT")
        let broken = Response(headers: ["Last-Modified": dates.0, "Date": dates.1], body: .generated(bytes: size))
        let request = place.get()
        request.place = .get("/latest")
        request.key = key
        place.server.enqueue(.redirect(to: "/one"), broken.failing(.reset, at: .responseBody))
        _ = await refusal(of: request.start().promise)
        place.server.answer("/latest", with: .redirect(to: path))
        place.server.answer(path, with: Entity(bytes: size, etag: nil, lastModified: dates.0, date: dates.1))
        #expect((try await request.start().value.resumedFrom > 0) == isResumed)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func limitOfTheFileHolds() async throws {
        let request = place.get()
        request.limit = 1000
        #expect(try #require(await refusal(of: request.start().promise)).code == .responseTooLarge)
        place.server.answer("/film.mp4", with: .generated(bytes: size).chunked(size: 1000))
        #expect(try #require(await refusal(of: request.start().promise)).code == .responseTooLarge)
        #expect(place.names.allSatisfy { $0.hasPrefix(".tango-") })
    }

    @Test func ownRangeIsRefused() async throws {
        let request = place.get()
        request.place = .get("/film.mp4", headers: ["Range": "bytes=0-9"])
        #expect(try #require(await refusal(of: request.start().promise)).code == .badHeader)
        #expect(place.server.requests.isEmpty)
    }

    @Test func otherMethodsAreNotResumed() async throws {
        let request = place.get()
        request.place = .post("/film.mp4", body: .string("query"))
        place.breakOff()
        _ = await refusal(of: request.start().promise)
        #expect(place.names.isEmpty)
        #expect(try await request.start().value.count == size)
        #expect(place.ranges == [nil, nil])
    }

    // MARK: Checksums

    @Test func digestIsThatOfTheFile() async throws {
        let request = place.get()
        request.digest = .sha256(SHA256.hex(generated(size)).uppercased())
        place.breakOff()
        _ = await refusal(of: request.start().promise)
        #expect(try await request.start().value.resumedFrom > 0)
    }

    @Test func damagedFileIsRemoved() async throws {
        let request = place.get()
        request.digest = .sha256(SHA256.hex(generated(size)))
        place.breakOff(.garbage)
        _ = await refusal(of: request.start().promise)
        let error = try #require(await refusal(of: request.start().promise))
        #expect(error.code == .checksumMismatch)
        #expect(place.names.isEmpty)
        #expect(try await request.start().value.count == size)
    }

    @Test func malformedDigestIsRefused() async throws {
        let request = place.get()
        request.digest = .sha256("abc")
        #expect(try #require(await refusal(of: request.start().promise)).code == .badPolicy)
        #expect(place.server.requests.isEmpty)
    }

    @Test(arguments: [0, 1, 55, 56, 63, 64, 65, 119, 120, 1000])
    func runningDigestIsThatOfTheWhole(_ count: Int) {
        let bytes = Array(generated(count))
        for step in [1, 63, 64, 65] {
            var hash = SHA256()
            for start in stride(from: 0, to: count, by: step) {
                Array(bytes[start..<min(count, start + step)]).withUnsafeBytes { hash.update($0) }
            }
            #expect(hash.finish().hexadecimal == SHA256.hex(bytes))
        }
    }
}
