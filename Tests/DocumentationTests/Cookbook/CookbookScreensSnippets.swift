import Foundation
import LoopbackServer
import Observation
import Tango
import TangoUI
import Testing

@testable import TestSupport

/// The recipes of the page "Screens".
@Suite(.timeLimit(.minutes(20)))
@MainActor struct CookbookScreensSnippets: CookbookPage {
    nonisolated let server: LoopbackServer
    private let shown = Facts()
    typealias Request = Cookbook.Request

    private func show(_ text: String) { shown.note(text) }

    init() throws {
        server = try LoopbackServer()
        server.answer("/users/*", with: Cookbook.ada())
    }

    /// Waits until the main actor has run what makes a condition true.
    private func until(_ condition: () -> Bool) async {
        while !condition() { await Task.yield() }
    }

    @MainActor final class ProfileScreen {
        var name = ""

        func load() {
            GetUser(id: 1).start(for: self, on: .main) { screen, user in
                screen.name = user.name
            } failure: { screen, error in
                screen.name = error.localizedDescription
            }
        }
    }

    @Test func cancellingWithTheScreen() async throws {
        try await with(api) {
            let screen = ProfileScreen()
            screen.load()
            await until { screen.name == "Ada" }
        }
        let gate = Gate()
        server.answer("/users/1", with: Cookbook.ada().held(by: gate))
        try await with(api) {
            var screen: ProfileScreen? = ProfileScreen()
            screen?.load()
            try await gate.reached()
            screen = nil
        }
        let held = try #require(server.requests.last).connection
        #expect(try await server.connectionEnded(held) == .closedByClient)
    }

    @Test func models() async throws {
        try await with(api) {
            let profile = RequestModel { GetUser(id: 1) }
            await profile.load()
            show(profile.value?.name ?? "\(profile.error, default: "nothing")")
        }
        #expect(shown.all == ["Ada"])
    }

    final class Search: Request<[User]> {
        var text = ""
        override var endpoint: Endpoint { .get("/search", query: ["q": text]) }
        override var identifier: String? { "search" }
        override var uniqueness: Uniqueness { .replace(after: .milliseconds(300)) }
    }

    @Test func debouncedSearch() async throws {
        server.answer("/search", with: .json(#"[{"id": 1, "name": "Ada"}]"#))
        let clock = ManualClock()
        try await with(api.with { ($0.clock, $0.timeouts) = (clock, .none) }) {
            let search = Search()
            search.text = "A"
            let first = search.start()
            await clock.sleepers()
            clock.advance(by: .milliseconds(200))
            search.text = "Ada"
            let second = search.start()
            await #expect(throws: RequestError.self) { try await first.value }
            #expect(server.requests.isEmpty)
            while !second.isFinished {
                clock.advance(by: .milliseconds(100))
                await Task.yield()
            }
            let users = try await second.value
            #expect(users.map(\.name) == ["Ada"])
        }
        #expect(server.requests.map(\.target) == ["/search?q=Ada"])
    }

    @MainActor @Observable final class FeedModel {
        private(set) var posts: [Post] = []
        @ObservationIgnored private var page = 1
        @ObservationIgnored private var loading: AnyPromise?
        @ObservationIgnored private let api: Client

        var isLoading: Bool { loading?.isPending == true }

        init(_ api: Client) { self.api = api }

        func loadMore() {
            guard loading?.isPending != true else { return }
            loading = api.get("/feed", query: ["page": page], as: [Post].self)
                .next(for: self, on: .main) { feed, posts in
                    feed.posts += posts
                    feed.page += 1
                }
        }
    }

    @Test func pagination() async throws {
        server.answer("/feed") { request in
            .json(request.query == "page=1" ? #"[{"id": 1, "title": "One"}]"# : #"[{"id": 2, "title": "Two"}]"#)
        }
        let feed = FeedModel(api)
        feed.loadMore()
        feed.loadMore()  // ignored: the first page is being loaded
        await until { feed.posts.count == 1 && !feed.isLoading }
        feed.loadMore()
        await until { feed.posts.count == 2 }
        #expect(feed.posts.map(\.title) == ["One", "Two"])
        #expect(server.requests.map(\.target) == ["/feed?page=1", "/feed?page=2"])
    }

    @MainActor final class Prefetcher {
        private(set) var calls: [Int: Call<User>] = [:]

        func prefetch(_ ids: [Int]) {
            for id in ids where calls[id] == nil { calls[id] = GetUser(id: id).start(lifetime: .unmanaged) }
        }
        func cancelPrefetching(_ ids: [Int]) {
            for id in ids { calls[id] = nil }  // a call that no object holds is cancelled
        }
    }

    @Test func prefetching() async throws {
        let gate = Gate()
        server.answer("/users/2", with: Cookbook.ada(2).held(by: gate))
        try await with(api) {
            let prefetcher = Prefetcher()
            prefetcher.prefetch([1, 2])
            #expect(try await prefetcher.calls[1]?.value.name == "Ada")
            try await gate.reached()
            prefetcher.cancelPrefetching([2])
            #expect(prefetcher.calls.keys.sorted() == [1])
        }
        let held = try #require(server.requests.first { $0.path == "/users/2" }).connection
        #expect(try await server.connectionEnded(held) == .closedByClient)
    }

    /// An image that notes where it was decoded.
    struct Picture: Sendable {
        let bytes: Int
        let wasDecodedOnMain: Bool

        init(decoding data: Data) throws { (bytes, wasDecodedOnMain) = (data.count, MainQueue.isCurrent) }
    }

    final class GetPicture: Request<Picture> {
        let path: String
        init(_ path: String) { self.path = path }
        override var endpoint: Endpoint { .get(path) }
        override var serializer: Serializer<Picture> { Serializer { response in try Picture(decoding: response.body) } }
        override var cachePolicy: CachePolicy { .cacheElseNetwork }
    }

    @Test func images() async throws {
        server.answer("/ada.png", with: .bytes(Array(repeating: 1, count: 1000)))
        try await with(Client(baseURL: url, cache: MemoryStore())) {
            for _ in 1...2 {
                let picture = try await GetPicture("/ada.png").promise.value
                #expect(picture.bytes == 1000)
                #expect(!picture.wasDecodedOnMain)
            }
        }
        #expect(server.requestCount == 1)
    }

    @Test func polling() async throws {
        struct Job: Codable, Sendable { let isDone: Bool }
        server.answer("/jobs/7", with: .json(#"{"isDone": true}"#))
        server.enqueue(.json(#"{"isDone": false}"#), .json(#"{"isDone": false}"#))
        let clock = ManualClock()
        let api = api
        let isPending = { @Sendable (error: any Error) in error as? PromiseError == .invalid }
        let job = Promise.retry(30, backoff: .constant(.seconds(2)), clock: clock, if: isPending) { _ in
            api.get("/jobs/7", as: Job.self).validate { job in job.isDone }
        }
        for _ in 1...2 {
            await clock.sleepers()
            clock.advance(by: .seconds(2))
        }
        #expect(try await job.value.isDone)
        #expect(server.requestCount == 3)
    }

    final class GetProfile: Request<User> {
        override var endpoint: Endpoint { .get("/users/1") }
        override var cachePolicy: CachePolicy { .cacheThenNetwork }
    }

    @Test func cachedAndThenFresh() async throws {
        let store = MemoryStore()
        try await with(Client(baseURL: url, cache: store)) {
            _ = try await GetProfile().promise.value
            await Cookbook.client.finishStoring()
            server.answer("/users/1", with: .json(#"{"id": 1, "name": "Ada Lovelace"}"#))
            for try await user in GetProfile().values { show(user.name) }
        }
        #expect(shown.all == ["Ada", "Ada Lovelace"])
    }

    @Test func backgroundRefresh() async throws {
        let store = MemoryStore()
        let api = Client(baseURL: url, cache: store) { $0.cachePolicy = .cacheElseNetwork }
        server.answer("/news", with: .text("old"))
        #expect(try await api.get("/news", as: String.self).value == "old")
        server.answer("/news", with: .text("new"))
        func refresh() async throws {  // called by `.backgroundTask(.appRefresh("news"))` of SwiftUI
            let fresh = api.with { ($0.cachePolicy, $0.backgroundPolicy) = (.reload, .finish) }
            _ = try await fresh.get("/news", as: String.self).value
            await fresh.finishStoring()
        }
        try await refresh()
        #expect(try await api.get("/news", as: String.self).value == "new")
        #expect(server.requestCount == 2)
    }

    @Test func activity() async throws {
        let gate = Gate()
        server.answer("/slow", with: .text("done").held(by: gate))
        let api = api
        let spinner = Task {
            for await isActive in api.isActive { show(isActive ? "spinning" : "idle") }
        }
        let slow = api.get("/slow", as: String.self)
        await shown.reached("spinning")
        gate.open()
        #expect(try await slow.value == "done")
        await shown.reached { $0.last == "idle" }
        spinner.cancel()
    }
}
