import Foundation
import TangoPromise
import Testing

/// The code in the doc comments of the promise module.
@Suite struct DocCommentSnippets: Samples {
    @Test func promise() async throws {
        let name = Promise { try await api.user(1) }
            .map { user in user.name }
            .recover { _ in "anonymous" }
        #expect(try await name.value == "user 1")
    }

    @MainActor final class Screen: Samples {
        var title = ""

        func load() {
            loadUser(1).next(for: self, on: .main) { screen, user in
                screen.title = user.name
            }
        }
    }

    @Test @MainActor func owner() async {
        let screen = Screen()
        screen.load()
        while screen.title.isEmpty { await Task.yield() }
    }

    @Test func resolver() async throws {
        func load(_ url: URL) -> Promise<Data> {
            let (promise, resolver) = Promise<Data>.pending()
            let task = legacyLoad(url) { data, error in
                if let data { resolver.fulfill(data) } else { resolver.reject(error ?? LoadError()) }
            }
            resolver.onCancel { task.cancel() }
            return promise
        }
        let url = try #require(URL(string: "https://example.com"))
        #expect(try await load(url).value == Data("https://example.com".utf8))
    }

    @Test func task() async throws {
        let user = Promise { try await api.user(1) }
        #expect(try await user.value.id == 1)
    }

    @Test func taskThatAwaitsNothing() async throws {
        let letters = Promise { "word".count }
        #expect(try await letters.value == 4)
    }

    @Test func value() async throws {
        let user = try await loadUser(1).value
        #expect(user.id == 1)
    }

    @Test func wait() throws {
        let user = try loadUser(1).wait(timeout: .seconds(10))
        #expect(user.id == 1)
    }

    @Test func all() async throws {
        let users = Promise.all([1, 2, 3].map { loadUser($0) })
        #expect(try await users.value.map(\.id) == [1, 2, 3])

        let line = Promise.all(loadUser(1), loadPosts()).map { user, posts in "\(user.name): \(posts.count) posts" }
        #expect(try await line.value == "user 1: 2 posts")
    }

    @Test func allLimited() async throws {
        let users = Promise.all(ids, limit: 4) { loadUser($0) }
        #expect(try await users.value.map(\.id) == ids)
    }

    @Test func allSettled() async throws {
        let printed = Recorder<String>()
        @Sendable func print(_ count: Int, _ text: String) { printed.note("\(count) \(text)") }
        let chain: Promise<Void> =
            Promise.allSettled(ids.map { loadUser($0) }).next { results in
                print(results.filter { (try? $0.get()) == nil }.count, "failed")
            }
        try await chain.value
        #expect(printed.events == ["0 failed"])
    }

    @Test func any() async throws {
        let image = Promise.any([load(from: mirror), load(from: origin)])
        #expect(try await image.value == "mirror")
    }

    @Test func race() async throws {
        let answer = Promise.race([ask(primary), ask(secondary)])
        #expect(try await answer.value == "primary")
    }

    @Test func retry() async throws {
        let user = Promise.retry(3, backoff: .exponential()) { attempt in loadUser(1) }
        #expect(try await user.value.id == 1)
    }

    @Test func retryIf() async throws {
        struct TimeoutError: Error {}
        let user = Promise.retry(3, backoff: .exponential(), if: { $0 is TimeoutError }) { attempt in loadUser(1) }
        #expect(try await user.value.id == 1)
    }

    @Test func backoff() async throws {
        let user = Promise.retry(5, backoff: .exponential(base: .milliseconds(200))) { _ in loadUser(1) }
        #expect(try await user.value.id == 1)
    }

    @Test func next() async throws {
        let length = Promise("word").next { $0.count }
        #expect(try await length.value == 4)
    }

    @Test func map() async throws {
        let words = Promise("three words here").map { $0.split(separator: " ") }.map { $0.count + 1 }
        #expect(try await words.value == 4)
    }

    @Test func flatMap() async throws {
        let posts = loadUser(1).flatMap { user in loadPosts(by: user) }
        #expect(try await posts.value.map(\.title) == ["One", "Two"])
    }

    @Test func catchOfOneType() async {
        let user =
            loadUser(404).catch(LoadError.self) { error in print("not loaded: \(error)") }
        await #expect(throws: LoadError.self) { try await user.value }
    }

    @Test func then() async throws {
        let name = loadUser(1).then({ user in user.name }, { _ in "anonymous" })
        #expect(try await name.value == "user 1")
    }

    @Test func `catch`() async throws {
        let printed = Recorder<String>()
        @Sendable func print(_ text: String) { printed.note(text) }
        let chain: Promise<Void> =
            loadUser(1).next { print($0.name) }.catch { print("failed: \($0)") }
        try await chain.value
        #expect(printed.events == ["user 1"])
    }

    @Test func recover() async throws {
        let user = loadUser(1).recover { _ in User.anonymous }
        #expect(try await user.value.id == 1)
    }

    @Test @MainActor func finally() async throws {
        spinner.start()
        loadUser(1).finally(on: .main) { spinner.stop() }
        while spinner.isSpinning { await Task.yield() }
        #expect(!spinner.isSpinning)
    }

    @Test func tap() async throws {
        let user = loadUser(1).tap { print("loaded \($0.name)") }
        #expect(try await user.value.id == 1)
    }

    @Test func mapError() async {
        let settings = readFile("settings.json").mapError { SettingsError(cause: $0) }
        await #expect(throws: SettingsError.self) { try await settings.value }
    }

    @Test func validate() async throws {
        let adult = loadUser(1).validate { $0.age >= 18 }
        #expect(try await adult.value.id == 1)
    }

    @Test func delay() async {
        let later = Promise("tick").delay(.seconds(1))
        later.cancel()
        await #expect(throws: CancellationError.self) { try await later.value }
    }

    @Test func timeout() async throws {
        let user = loadUser(1).timeout(.seconds(300))
        #expect(try await user.value.id == 1)
    }

    @Test func manualClock() async {
        let clock = ManualClock()
        let late = Promise("late").delay(.seconds(9), clock: clock).timeout(.seconds(5), clock: clock)
        clock.advance(by: .seconds(5))  // `late` is now rejected with PromiseError.timedOut
        await #expect(throws: PromiseError.timedOut) { try await late.value }
    }

    @Test func catchingATimeout() async throws {
        var user: User?
        do {
            user = try await loadUser(1).timeout(.seconds(300)).value
        } catch PromiseError.timedOut {
            user = nil
        }
        #expect(user?.id == 1)
    }

    @Test func scheduler() async throws {
        let printed = Recorder<String>()
        @MainActor func print(_ text: String) { printed.note(text) }
        let text = Promise.fulfilled("some words", on: .queue(DispatchQueue(label: "parsing")))
        text.next { $0.count }.next(on: .main) { print("\($0) characters") }
        while printed.events.isEmpty { await Task.yield() }
        #expect(printed.events == ["10 characters"])
    }

    /// Not run: the hook would receive the reports of other tests.
    func events() {
        PromiseEvents.onUnhandled = { report in log.error("\(report)") }
    }

    private var mirror: String { "mirror" }
    private var origin: String { "origin" }
    private var primary: String { "primary" }
    private var secondary: String { "secondary" }

    private func load(from place: String) -> Promise<String> {
        place == origin ? .rejected(LoadError()) : Promise(place)
    }

    private func ask(_ server: String) -> Promise<String> { load(from: server) }
}
