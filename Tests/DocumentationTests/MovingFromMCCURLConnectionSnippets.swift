import Foundation
import LoopbackServer
import Synchronization
import Tango
import TangoAuth
import Testing

@testable import TestSupport

/// The code of "Moving from MCCURLConnection", sent to a server.
@Suite(.timeLimit(.minutes(20))) struct MovingFromMCCURLConnectionSnippets {
    final class Gallery: Sendable {
        let limiter = Limiter(total: 2)
        let client: Client

        init(url: URL, cache: any CacheStore, spinner: Spinner) {
            client = Client(baseURL: url, cache: cache) { [limiter] in
                $0.limiter = limiter
                $0.uniqueness = .reject
                $0.authenticator = .challenges(user: "ada", password: "secret", allowsBasicOverHTTP: true)
                $0.observers = [SmallOnly()]
                $0.observe { event in
                    switch event.kind {
                    case .willStart: spinner.add(1)
                    case .finished: spinner.add(-1)
                    default: break
                    }
                }
            }
        }

        func thumbnail(_ name: String) -> GetThumbnail { GetThumbnail(client, name) }

        func measure(_ name: String) async throws -> Int {
            var count = 0
            for try await portion in try await client.get("/originals/\(name)", as: ByteStream.self).value {
                count += portion.count
            }
            return count
        }

        func pause() { limiter.suspend() }
        func resume() { limiter.resume() }
        func close() { client.cancelAll() }
    }

    final class GetThumbnail: Request<Data> {
        let gallery: Client, name: String
        init(_ gallery: Client, _ name: String) {
            self.gallery = gallery
            self.name = name
        }
        override var client: Client { gallery }
        override var endpoint: Endpoint { .get("/thumbnails/\(name)") }
        override var identifier: String? { "thumbnail \(name)" }
    }

    struct SmallOnly: CallObserver {
        func observe(_ event: CallEvent) {}
        func willStore(_ entry: CacheEntry, of call: AnyCall) -> CacheEntry? {
            entry.body.count < 100_000 ? entry : nil
        }
    }

    func show(_ name: String, of gallery: Gallery, row: Int, draw: @escaping @Sendable (Int, Data) -> Void) {
        let call = gallery.thumbnail(name).start()
        call.userInfo["row"] = row
        call.then { data, call in
            draw(call.userInfo["row"] as? Int ?? 0, data)
        } failure: { error, call in
            if call.state != .finished(.duplicate) { print("\(call) failed: \(error)") }
        }
    }

    final class Spinner: Sendable {
        let counts = Mutex<[Int]>([0])
        func add(_ change: Int) { counts.withLock { $0.append($0[$0.count - 1] + change) } }
    }

    private let server: LoopbackServer
    private let gallery: Gallery
    private let spinner = Spinner()

    init() throws {
        server = try LoopbackServer()
        server.answer("/thumbnails/*") { request in
            guard request.headers["Authorization"] == "Basic YWRhOnNlY3JldA==" else {
                return .status(401).header("WWW-Authenticate", #"Basic realm="gallery""#)
            }
            return .text(String(request.path.dropFirst("/thumbnails/".count))).header("Cache-Control", "max-age=60")
        }
        server.answer("/originals/*", with: .generated(bytes: 2_000_000))
        gallery = Gallery(url: server.url, cache: MemoryStore(), spinner: spinner)
    }

    @Test func callbacks() async throws {
        let drawn = Facts()
        show("a", of: gallery, row: 7) { row, data in drawn.note("\(row) \(data.count)") }
        await drawn.reached(count: 1)
        #expect(drawn.all == ["7 1"])
        #expect(try await gallery.measure("a") == 2_000_000)
        while spinner.counts.withLock(\.count) < 5 { await Task.yield() }
        #expect(spinner.counts.withLock(\.self) == [0, 1, 0, 1, 0])

        await gallery.client.finishStoring()
        let again = gallery.thumbnail("a").start()
        #expect(try await again.value == Data("a".utf8))
        #expect(again.response?.source.isCache == true)
        server.stop()
    }

    @Test func queue() async throws {
        _ = try await gallery.thumbnail("first").promise.value  // From now on, requests are sent with the credentials.
        let gate = Gate()
        server.answer("/thumbnails/*") { request in .text(request.path).held(by: gate) }
        let calls = ["a", "b", "c"].map { name in gallery.thumbnail(name).start() }
        try await gate.reached(count: 2)
        while gallery.limiter.waiting == 0 { await Task.yield() }
        #expect(gallery.limiter.running == 2)

        let duplicate = gallery.thumbnail("a").start()
        await #expect(throws: RequestError.self) { try await duplicate.value }
        #expect(duplicate.state == .finished(.duplicate))

        gallery.pause()
        gate.open()
        _ = try await (calls[0].value, calls[1].value)
        #expect(!calls[2].isFinished)
        gallery.resume()
        #expect(try await calls[2].value == Data("/thumbnails/c".utf8))
        server.stop()
    }

    @Test func closing() async throws {
        server.answer("/thumbnails/*", with: .status(204).held(by: Gate()))
        let call = gallery.thumbnail("a").start()
        gallery.close()
        #expect(call.state == .finished(.cancelled))
        await #expect(throws: CancellationError.self) { try await call.value }
        server.stop()
    }
}
