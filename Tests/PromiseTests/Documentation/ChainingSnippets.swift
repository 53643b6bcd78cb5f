import Foundation
import TangoPromise
import Testing

/// The code of the article on chaining.
@Suite struct ChainingSnippets: Samples {
    @Test func steps() async throws {
        let titles = loadUser(1)
            .next { user in loadPosts(by: user) }  // Promise<[Post]>: followed
            .map { posts in posts.map(\.title) }  // [String]: passed on
        #expect(try await titles.value == ["One", "Two"])
    }

    @Test func errorsTravel() async throws {
        let greeting = loadUser(404)
            .map { user in user.name }
            .map { name in "Hello, \(name)!" }
            .recover { error in "Hello, stranger!" }
        #expect(try await greeting.value == "Hello, stranger!")
    }

    @Test func `catch`() async {
        let chain: Promise<Void> =
            loadUser(404)
            .next { user in show(user) }
            .catch { error in show(error) }
            .next { celebrate() }  // not called: there is no user
        await #expect(throws: LoadError.self) { try await chain.value }
        #expect(shown.events == ["LoadError()"])
    }

    @Test func catchOfOneType() async throws {
        let chain =
            loadUser(404).catch(LoadError.self) { error in show(error) }
        await #expect(throws: LoadError.self) { try await chain.value }
        #expect(shown.events == ["LoadError()"])
    }

    @Test func recoverFromSome() async throws {
        let user = loadUser(404).recover { error in
            guard error is LoadError else { throw error }
            return User.anonymous
        }
        #expect(try await user.value == .anonymous)
    }

    @Test func twoHandlers() async throws {
        let name = loadUser(404).then({ user in user.name }, { error in "anonymous" })
        #expect(try await name.value == "anonymous")
    }

    @Test func valueLeftAlone() async throws {
        let adult = loadUser(1)
            .tap { user in log.debug("loaded \(user.name)") }
            .validate { user in user.age >= 18 }
            .mapError { error in SettingsError(cause: error) }
            .finally { log.debug("done") }
        #expect(try await adult.value.id == 1)
    }

    @Test func severalAtOnce() async throws {
        let page = Promise.all(loadUser(1), loadPosts()).map { user, posts in Page(user: user, posts: posts) }
        let users = Promise.all([1, 2, 3].map { loadUser($0) })
        let many = Promise.all(1...100, limit: 8) { id in loadUser(id) }
        #expect(try await page.value.posts.count == 2)
        #expect(try await users.value.map(\.id) == [1, 2, 3])
        #expect(try await many.value.count == 100)
    }

    @Test func retry() async throws {
        let user = Promise.retry(3, backoff: .exponential(), if: { error in error is LoadError }) { attempt in
            loadUser(1).timeout(.seconds(300))
        }
        #expect(try await user.value.id == 1)
    }

    @Test func byHand() async throws {
        func photo(at url: URL) -> Promise<Data> {
            let (promise, resolver) = Promise<Data>.pending()
            legacyLoad(url) { data, error in
                if let data { resolver.fulfill(data) } else { resolver.reject(error ?? LoadError()) }
            }
            return promise
        }
        let url = try #require(URL(string: "https://example.com"))
        #expect(try await photo(at: url).value.count == 19)
    }

    @Test func inAndOutOfAsyncCode() async throws {
        let promise = Promise { try await api.user(1) }
        let user = try await promise.value

        switch await loadUser(404).result {
        case .success(let user): show(user)
        case .failure(let error): show(error)
        }
        #expect(user.id == 1)
    }

    @Test func awaitInAChain() async throws {
        let chain: Promise<Void> =
            loadUser(1).next(on: .task) { user in try await api.save(user) }
        try await chain.value
        #expect(api.saved.events == [1])
    }

    private let api = Sample.API()
    private let shown = Recorder<String>()

    private struct Page: Sendable {
        let user: User
        let posts: [Post]
    }

    private func show(_ user: User) { shown.note(user.name) }
    private func show(_ error: any Error) { shown.note("\(error)") }
    private func celebrate() { Issue.record("there is no user to celebrate") }
}
