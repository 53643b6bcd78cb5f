import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// Downloads in parts over real connections to real files.
@Suite(.timeLimit(.minutes(20)))
struct PartsTests {
    private static let size = 400_000
    private static let parts = ["bytes=100000-199999", "bytes=200000-299999", "bytes=300000-399999"]
    private let size = PartsTests.size
    private let place: FileSite

    init() throws { place = try FileSite(Entity(bytes: Self.size)) }

    private func expectTheFile(_ place: FileSite? = nil) throws {
        let place = place ?? self.place
        #expect(try Data(contentsOf: place.target) == generated(size))
        #expect(place.names == ["film.mp4"])
    }

    /// The response to a request, broken off or changed if it is for the part with this number, from 1.
    private func change(
        part: Int, of place: FileSite, once: Bool = true, _ change: @escaping @Sendable (Response) -> Response
    ) {
        let entity = place.entity
        let isDone = Atomic(false)
        place.server.answer("/film.mp4") { request in
            let response = entity.response(to: request)
            let isPart = request.headers["Range"]?.hasPrefix("bytes=\(part * 100_000)-") == true
            guard isPart, !once || !isDone.exchange(true, ordering: .relaxed) else { return response }
            return change(response)
        }
    }

    @Test func partsAreRequestedAtTheSameTime() async throws {
        // No response ends before all are requested.
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let call = place.get(parts: 4).start()
        _ = try await place.server.requests(count: 4)
        gate.open()
        let file = try await call.value
        #expect(file.count == size)
        #expect(file.resumedFrom == 0)
        #expect(file.response.status == 200)
        #expect(file.response.headers["Content-Length"] == "\(size)")
        #expect(place.ranges.first == .some(nil))
        #expect(Set(place.ranges.compactMap(\.self)) == Set(Self.parts))
        #expect(place.server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"1\"" })
        #expect(call.attempts.map(\.cause) == [.first, .part, .part, .part])
        try expectTheFile()
    }

    @Test func progressIsTheSumOfTheParts() async throws {
        let call = place.get(parts: 4).start()
        var all: [CallProgress] = []
        for await progress in call.progress { all.append(progress) }
        _ = try await call.value
        #expect(all.last == CallProgress(received: size, receivedTotal: size))
        #expect(all.map(\.received) == all.map(\.received).sorted())
        #expect(all.allSatisfy { $0.received <= size })
    }

    @Test func digestIsThatOfTheWholeFile() async throws {
        let request = place.get(parts: 4)
        request.digest = .sha256(SHA256.hex(generated(size)))
        _ = try await request.start().value
        request.digest = .sha256(SHA256.hex(generated(3)))
        #expect(try #require(await refusal(of: request.start().promise)).code == .checksumMismatch)
    }

    @Test func oneConnectionIsTheDefault() async throws {
        _ = try await place.get().start().value
        #expect(place.ranges == [nil])
    }

    @Test(arguments: [0, 17])
    func invalidNumberIsRefused(_ count: Int) async throws {
        #expect(try #require(await refusal(of: place.get(parts: count).start().promise)).code == .badPolicy)
        #expect(place.server.requests.isEmpty)
    }

    // MARK: Servers without parts

    static let singles: [Entity] = {
        var noRanges = Entity(bytes: size)
        noRanges.allowsRanges = false
        return [
            noRanges, Entity(bytes: size, etag: nil), Entity(bytes: size, etag: "W/\"1\""), Entity(bytes: 100_000),
            Entity(bytes: 0),
        ]
    }()

    @Test(arguments: singles)
    func otherFilesAreLoadedOverOneConnection(_ entity: Entity) async throws {
        let place = try FileSite(entity)
        #expect(try await place.get(parts: 4).start().value.count == entity.bytes)
        #expect(place.ranges == [nil])
        #expect(try Data(contentsOf: place.target) == generated(entity.bytes))
    }

    @Test func chunkedBodyIsLoadedOverOneConnection() async throws {
        place.server.answer(
            "/film.mp4",
            with: .generated(bytes: size).chunked(size: 1000).header("ETag", "\"1\"").header("Accept-Ranges", "bytes"))
        #expect(try await place.get(parts: 4).start().value.count == size)
        #expect(place.ranges == [nil])
    }

    /// A server that allows one connection at a time refuses the others.
    @Test(arguments: [429, 503, 403])
    func oneConnectionLoadsWhatOthersAreRefused(_ status: Int) async throws {
        let entity = place.entity
        let refused = Atomic(0)
        place.server.answer("/film.mp4") { request in
            guard request.headers["Range"] != nil, refused.add(1, ordering: .relaxed).newValue <= 3 else {
                return entity.response(to: request)
            }
            return .text("busy", status: status)
        }
        let call = place.get(parts: 4).start()
        #expect(try await call.value.count == size)
        #expect(!call.attempts.contains { $0.cause == .retry })
        try expectTheFile()
    }

    @Test func firstResponseGoesOnToTheEnd() async throws {
        // Half of it is a byte less than its part.
        let size = 399_999
        let gate = Gate()
        let place = try FileSite(Entity(bytes: size)) { $0.attemptInterceptors = [PartRefusal(gate: gate)] }
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let call = place.get(parts: 2).start()
        #expect(try await call.value.count == size)
        #expect(place.ranges == [nil])
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func refusalAfterAllOthersIsTheResponse() async throws {
        let entity = place.entity
        place.server.answer("/film.mp4") { request in
            request.headers["Range"] == nil ? entity.response(to: request) : .text("busy", status: 503)
        }
        let call = place.get(parts: 4).start()
        // The first response may have gone on to the end of the file, if it was faster than the others.
        if let error = await refusal(of: call.promise) { #expect(error.code == .badStatus) }
        place.server.answer("/film.mp4", with: entity)
        if place.names != ["film.mp4"] {
            #expect(try await place.get(parts: 4).start().value.resumedFrom >= 100_000)
        }
        try expectTheFile()
    }

    @Test func limiterHoldsParts() async throws {
        let place = try FileSite(place.entity) { $0.limiter = Limiter(perHost: 1) }
        let call = place.get(parts: 4).start()
        #expect(try await call.value.count == size)
        #expect(place.server.connections.accepted <= 4)
        try expectTheFile(place)
    }

    // MARK: Contradictions

    static let contradictions: [(String, @Sendable (Response) -> Response)] = [
        ("a part of another version", { _ in part(200_000..<300_000, etag: "\"2\"") }),
        ("another total", { _ in part(200_000..<300_000, total: 400_001) }),
        ("another range", { _ in part(200_001..<300_000) }),
        ("more than the range", { _ in part(200_000..<300_001) }),
        (
            "more bytes than announced",
            { _ in part(200_000..<300_000, with: 200_000..<300_001).chunked(size: 1000) }
        ),
        ("416", { _ in Response(status: 416, headers: ["Content-Range": "bytes */400000"]) }),
        ("204", { _ in Response(status: 204) }),
    ]

    private static func part(
        _ range: Range<Int>, etag: String = "\"1\"", total: Int = 400_000, with bytes: Range<Int>? = nil
    ) -> Response {
        Response(
            status: 206,
            headers: ["ETag": etag, "Content-Range": "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"],
            body: .part(bytes ?? range))
    }

    @Test(arguments: contradictions.indices)
    func contradictionLoadsTheFileAnewOverOneConnection(_ number: Int) async throws {
        let (name, answer) = Self.contradictions[number]
        change(part: 2, of: place, answer)
        let file = try await place.get(parts: 4).start().value
        #expect(file.resumedFrom == 0, "\(name)")
        // The server may read the request of another part after the one for the whole file.
        #expect(place.ranges.count { $0 == nil } == 2, "\(name)")
        try expectTheFile()
    }

    @Test func wholeFileInPlaceOfAPartIsUsed() async throws {
        let size = size
        change(part: 2, of: place) { _ in Response(headers: ["ETag": "\"2\""], body: .generated(bytes: size)) }
        #expect(try await place.get(parts: 4).start().value.response.headers["ETag"] == "\"2\"")
        // No further request was needed.
        #expect(place.ranges.count { $0 == nil } == 1)
        try expectTheFile()
    }

    @Test func fileThatChangesMidwayHasTheBytesOfOneVersion() async throws {
        let new = Entity(bytes: 1000, etag: "\"2\"")
        let old = place.entity
        place.server.answer("/film.mp4") { request in
            request.headers["Range"] == nil ? old.response(to: request) : new.response(to: request)
        }
        let file = try await place.get(parts: 4).start().value
        // Unless the first response was faster than all others.
        #expect(try Data(contentsOf: place.target) == generated(file.count))
        #expect(file.response.headers["ETag"] == (file.count == 1000 ? "\"2\"" : "\"1\""))
    }

    // MARK: Resuming

    @Test(arguments: 1...3)
    func brokenPartIsRetriedAlone(_ part: Int) async throws {
        let place = try FileSite(place.entity) { $0.retryPolicy = .exponential(attempts: 4, base: .zero) }
        change(part: part, of: place) { $0.failing(.reset, at: .responseBody) }
        let call = place.get(parts: 4).start()
        #expect(try await call.value.count == size)
        try expectTheFile(place)
        #expect(call.attempts.contains { $0.cause == .retry })
        // Only bytes of the broken part were requested again. The server may read that before it reads other requests.
        let offsets = place.ranges.compactMap { $0.flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) } }
        for other in 1...3 {
            let count = offsets.count { other * 100_000..<(other + 1) * 100_000 ~= $0 }
            #expect(other == part ? count > 1 : count <= 1)
        }
    }

    @Test func retriesUseTheBudgetOfTheServer() async throws {
        let place = try FileSite(place.entity) {
            $0.retryPolicy = .exponential(attempts: 50, base: .zero)
            $0.retryBudget = RetryBudget(burst: 2, perRequest: 0, perSecond: 0)
        }
        change(part: 2, of: place, once: false) { $0.failing(.reset, at: .responseHead) }
        let call = place.get(parts: 4).start()
        // A part whose response never begins is left to the others, and at last to one of them alone.
        if await refusal(of: call.promise) != nil {
            #expect(call.attempts.contains { $0.retry?.reason == .noBudget })
        }
        #expect(call.attempts.count { $0.cause == .retry } <= 2)
    }

    @Test(arguments: [1, 4])
    func nextCallLoadsOnlyWhatIsMissing(_ count: Int) async throws {
        change(part: 2, of: place) { $0.failing(.reset, at: .responseBody) }
        let error = try #require(await refusal(of: place.get(parts: 4).start().promise))
        #expect(error.code == .connectionLost || error.code == .truncated)
        #expect(place.names.count == 2)
        let before = place.ranges.count
        let file = try await place.get(parts: count).start().value
        #expect(file.resumedFrom >= 300_000)
        let ranges = place.ranges.dropFirst(before).compactMap(\.self)
        #expect(!ranges.isEmpty && ranges.allSatisfy { $0.hasPrefix("bytes=2") })
        try expectTheFile()
    }

    @Test func downloadOfOneConnectionGoesOnInParts() async throws {
        place.breakOff()
        _ = await refusal(of: place.get().start().promise)
        let file = try await place.get(parts: 3).start().value
        #expect(file.resumedFrom > 0)
        #expect(place.ranges.count > 2)
        try expectTheFile()
    }

    @Test func changedFileIsLoadedAnewInParts() async throws {
        change(part: 2, of: place) { $0.failing(.reset, at: .responseBody) }
        _ = await refusal(of: place.get(parts: 4).start().promise)
        place.server.answer("/film.mp4", with: Entity(bytes: 300_000, etag: "\"2\""))
        let file = try await place.get(parts: 4).start().value
        #expect(file.resumedFrom == 0)
        #expect(try Data(contentsOf: place.target) == generated(300_000))
        #expect(place.names == ["film.mp4"])
    }

    @Test func completePartsNeedNoBody() async throws {
        let rename: FileSystem.Fault = { name, _, _ in name == .rename ? EROFS : nil }
        _ = await refusal(of: DownloadFiles.$fault.withValue(rename) { place.get(parts: 4).start().promise })
        let before = place.ranges.count
        #expect(try await place.get(parts: 4).start().value.resumedFrom == size)
        #expect(place.ranges.dropFirst(before).map(\.self) == ["bytes=400000-"])
        try expectTheFile()
    }

    @Test func cancellationEndsAllParts() async throws {
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let call = place.get(parts: 4).start()
        _ = try await place.server.requests(count: 4)
        for await progress in call.progress where progress.received >= 150_000 { break }
        call.cancel()
        #expect(await refusal(of: call.promise) == nil)
        try await place.server.connections(open: 0)
        gate.open()
        let file = try await place.get(parts: 4).start().value
        #expect(file.resumedFrom >= 150_000)
        try expectTheFile()
    }

    /// A killed process leaves the files as they are while parts are loaded.
    @Test func filesOfAnyMomentAreResumedExactly() async throws {
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let call = place.get(parts: 4).start()
        for await progress in call.progress where progress.received >= 150_000 { break }
        let later = ScratchFiles()
        for name in place.names {
            try FileManager.default.copyItem(
                at: place.files.url.appendingPathComponent(name), to: later.url.appendingPathComponent(name))
        }
        gate.open()
        _ = try await call.value
        let target = later.url.appendingPathComponent("film.mp4")
        _ = try await GetFile(of: place.client, to: .file(target)).start().value
        #expect(try Data(contentsOf: target) == generated(size))
    }

    @Test func fullDiskKeepsTheParts() async throws {
        let full: FileSystem.Fault = { name, _, offset in
            name == .write && 200_000..<300_000 ~= offset ? ENOSPC : nil
        }
        let promise = DownloadFiles.$fault.withValue(full) { place.get(parts: 4).start().promise }
        #expect(try #require(await refusal(of: promise)).code == .diskFull)
        _ = try await place.get(parts: 4).start().value
        try expectTheFile()
    }

    @Test func credentialsAndRedirectsAreThoseOfTheFirstRequest() async throws {
        let entity = place.entity
        place.server.answer("/latest", with: .redirect(to: "/film.mp4"))
        place.server.answer("/film.mp4") { request in
            request.headers["X-Key"] == "k" ? entity.response(to: request) : .text("no", status: 401)
        }
        let request = place.get(parts: 4)
        request.place = .get("/latest", headers: ["X-Key": "k"])
        #expect(try await request.start().value.count == size)
        #expect(place.server.requests.dropFirst().allSatisfy { $0.path == "/film.mp4" })
        try expectTheFile()
    }
}
