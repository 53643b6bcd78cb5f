import Foundation
import Tango
import Testing

/// The code of the README.
@Suite struct ReadmeSnippets: Samples {
    @Test func firstScreen() async throws {
        struct User { let id: Int, name: String }

        let user = Promise {  // async work; for callbacks there is a resolver
            try await Task.sleep(for: .milliseconds(10))
            return User(id: 1, name: "Ada")
        }
        let letters = user.map { user in user.name.count }

        let line = Promise.all(user, letters)  // a typed tuple
            .timeout(.seconds(300))
            .map { user, count in "\(user.name) has \(count) letters" }
            .recover { error in "nobody came: \(error)" }
            .finally { print("done") }

        print(try await line.value)
        #expect(try await line.value == "Ada has 3 letters")
    }

    @Test func chain() async throws {
        let titles = loadUser(1)
            .next { user in loadPosts(by: user) }
            .map { posts in posts.map(\.title) }
        #expect(try await titles.value == ["One", "Two"])
    }

    @Test func recover() async throws {
        loadUser(404)
            .next { user in show(user) }
            .catch { error in show(error) }
            .finally { spin(false) }

        let user = loadUser(404).recover { error in User.anonymous }
        let name = loadUser(404).then({ user in user.name }, { error in "anonymous" })
        #expect(try await user.value == .anonymous)
        #expect(try await name.value == "anonymous")
    }

    @Test func combine() async throws {
        let page = Promise.all(loadUser(1), loadPosts()).map { user, posts in Page(user: user, posts: posts) }
        let users = Promise.all([1, 2, 3].map { loadUser($0) })
        let many = Promise.all(1...100, limit: 8) { id in loadUser(id) }
        let first = Promise.any([loadUser(404), loadUser(1)])
        let fastest = Promise.race([loadUser(1), loadUser(2)])
        let outcomes = Promise.allSettled([loadUser(404), loadUser(1)])
        #expect(try await page.value.posts.count == 2)
        #expect(try await users.value.map(\.id) == [1, 2, 3])
        #expect(try await many.value.map(\.id) == Array(1...100))
        #expect(try await first.value.id == 1)
        #expect(try await [1, 2].contains(fastest.value.id))
        #expect(try await outcomes.value.map { (try? $0.get())?.id } == [nil, 1])
    }

    @Test func cancel() async throws {
        let download = Promise<Data> { resolver in
            connection.receive { data in resolver.fulfill(data) }
            resolver.onCancel { connection.close() }
        }
        let preview = download.map { data in data.prefix(100) }
        let size = download.map { data in data.count }

        preview.cancel()  // `size` still waits: the download goes on
        size.cancel()  // nobody waits: the connection is closed
        try await connection.closed.value
        await #expect(throws: CancellationError.self) { try await download.value }
    }

    @Test @MainActor func scheduling() async throws {
        let chain: Promise<Void> =
            loadUser(1)
            .map(on: .queue(parsing)) { user in user.name.count }  // a queue of yours
            .next(on: .task) { count in try await api.user(count) }  // async work
            .next(on: .main) { user in label.text = user.name }  // @MainActor
        try await chain.value
        #expect(label.text == "user 6")
    }

    @Test func await() async throws {
        let promise = Promise { try await api.user(1) }  // async work as a promise
        let user = try await promise.value  // a promise in async code
        let result = await loadUser(404).result
        #expect(user.id == 1)
        #expect(throws: LoadError.self) { try result.get() }
    }

    @Test func time() async throws {
        let patient = Promise.retry(3, backoff: .exponential()) { attempt in loadUser(1).timeout(.seconds(300)) }

        let clock = ManualClock()
        let late = loadUser(1).delay(.seconds(60), clock: clock).timeout(.seconds(5), clock: clock)
        clock.advance(by: .seconds(5))  // `late` has timed out, and no time has passed
        await #expect(throws: PromiseError.timedOut) { try await late.value }
        #expect(try await patient.value.id == 1)
    }

    private struct Page: Sendable {
        let user: User
        let posts: [Post]
    }

    private let connection = Sample.Connection()
    private let parsing = DispatchQueue(label: "parsing")
    private let label = Sample.Label()

    private func show(_ user: User) {}
    private func show(_ error: any Error) {}
    private func spin(_ isSpinning: Bool) {}
}
