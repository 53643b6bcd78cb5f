import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The code of "Callbacks and schedulers", and tests of the claims of that article.
@Suite struct CallbacksSnippets: SampleAPI {
    private let url = Sample.server.url

    @Test func threeWays() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let call = GetUser(id: 1).start()
        let name = call.promise.map { user in user.name }
        let user = try await call.value
        call.then { user, call in
            show("\(user.name), \(call.response?.status ?? 0)")
        } failure: { error, call in
            show("\(error)")
        }
        #expect(try await name.value == user.name)
        await shown.reached("Ada, 200")

        call.userInfo["screen"] = "profile"
        #expect(call.userInfo["screen"] as? String == "profile")

        let again = call.retry()
        #expect(again.id != call.id)
        #expect(try await again.value == user)
        #expect(shown.all == ["Ada, 200"])
    }

    struct Hit: Decodable, Sendable {}

    final class Search: Request<[Hit]> {
        var text = ""
        override var endpoint: Endpoint { .get("/search", query: ["q": text]) }
        override var identifier: String? { "search" }
        override var uniqueness: Uniqueness { .replace(after: .milliseconds(300)) }
    }

    /// The wait itself is tested on a manual clock.
    @Test func searching() {
        #expect(Search().uniqueness == .replace(after: .milliseconds(300)))
    }

    @MainActor final class ProfileModel {
        var name = ""
        var failure: String?

        func load() {
            GetUser(id: 1).start(for: self, on: .main) { model, user in
                model.name = user.name
            } failure: { model, error in
                model.failure = "\(error)"
            }
        }

        func reload() {
            GetUser(id: 1).promise
                .next(for: self, on: .main) { model, user in model.name = user.name }
                .catch(for: self, on: .main) { model, error in model.failure = "\(error)" }
        }
    }

    @Test @MainActor func models() async throws {
        let model = ProfileModel()
        model.load()
        while model.name.isEmpty { await Task.yield() }
        #expect(model.name == "Ada")
        model.name = ""
        model.reload()
        while model.name.isEmpty { await Task.yield() }
        #expect(model.name == "Ada")
        #expect(model.failure == nil)
    }

    @MainActor final class FilmScreen: CallDelegate {
        var status = ""

        func load() { GetFilm().start().observe(on: .main, by: self) }

        func callStarted(_ call: AnyCall) { status = "loading" }
        func call(_ call: AnyCall, progressed progress: CallProgress) { status = "\(progress.received) bytes" }
        func callSucceeded(_ call: AnyCall) { status = "done" }
        func call(_ call: AnyCall, failedWith error: any Error) { status = "\(error)" }
        func callCancelled(_ call: AnyCall) { status = "cancelled" }
    }

    @Test @MainActor func delegates() async throws {
        let screen = FilmScreen()
        screen.load()
        while screen.status != "done" { await Task.yield() }
        screen.status = ""
        let watched = Client(baseURL: url) { $0.observers.append(DelegateObserver(screen)) }
        _ = try await watched.get("/users/1", as: User.self).value
        while screen.status != "done" { await Task.yield() }
    }

    @MainActor final class UserScreen {
        var name = ""

        func load() {
            GetUser(id: 1).start(for: self, on: .main) { screen, user in
                screen.name = user.name
            } failure: { screen, error in
                screen.show(error)
            }
        }

        private func show(_ error: any Error) { name = "\(error)" }
    }

    @Test @MainActor func callsForAScreen() async {
        let screen = UserScreen()
        screen.load()
        while screen.name != "Ada" { await Task.yield() }
    }

    @Test func callbacksWithoutTheCall() async {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        GetUser(id: 1).start { user in
            show(user.name)
        } failure: { error in
            show("\(error)")
        }
        await shown.reached(count: 1)
        #expect(shown.all == ["Ada"])
    }

    @Test func schedulers() async throws {
        let onMain = Client(baseURL: url) { $0.callbackScheduler = .queue(.main) }
        let onQueue = Client(baseURL: url) { $0.callbackScheduler = .operations(OperationQueue()) }
        func isOnMain(_ client: Client) async throws -> Bool {
            try await client.get("/users/1", as: User.self).next { _ in MainQueue.isCurrent }.value
        }
        func isOnAQueue(_ client: Client) async throws -> Bool {
            try await client.get("/users/1", as: User.self).next { _ in OperationQueue.current != nil }.value
        }
        #expect(try await isOnMain(onMain))
        #expect(try await !isOnMain(onQueue))
        #expect(try await isOnAQueue(onQueue))
    }

    @Test func cancelling() async {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let film = GetFilm().start { film, _ in show("\(film.count) bytes") }
        film.cancel()
        // The request may have finished before the cancellation.
        let isDone = (try? await film.value) != nil
        #expect(film.state == .finished(isDone ? .success : .cancelled))
        if !isDone { #expect(shown.all == []) }
    }

    @Test func lifetimes() async throws {
        final class Search {
            private(set) var call: Call<User>?

            func update(to id: Int) {  // cancels the previous call
                call = GetUser(id: id).start(lifetime: .unmanaged) { user, _ in print(user.name) }
            }
        }
        let search = Search()
        search.update(to: 77)
        let states = try #require(search.call).states
        search.update(to: 2)
        #expect(try await search.call?.value.id == 2)
        var last: CallState?
        for await state in states { last = state }
        #expect(last == .finished(.cancelled))
    }

    @Test func following() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let download = GetFilm().start()
        for await progress in download.progress {
            show("\(progress.received) of \(progress.receivedTotal ?? 0) bytes")
        }
        for await state in download.states { show("\(state)") }  // the call has finished: one state
        #expect(shown.all.suffix(2) == ["300000 of 300000 bytes", "finished, success"])
    }

    @Test func listing() {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let client = Client(baseURL: url)
        let tagged = Fetch<String>(.get("/users/77"), of: client)
        tagged.words = ["profile"]
        let (one, other) = (tagged.start(), Fetch<String>(.get("/users/77"), of: client).start())
        client.cancelAll(tagged: "profile")
        for call in client.calls { show("\(call)") }  // "call 7, GET /users/1, running"
        #expect(one.state == .finished(.cancelled))
        #expect(shown.all == ["call \(other.id), GET /users/77, running"])
        client.cancelAll()
        #expect(client.activeCalls == 0)
    }

    @Test func attempts() async throws {
        let shown = Facts()
        @Sendable func show(_ text: String) { shown.note(text) }
        let call = GetUser(id: 1).start()
        _ = try await call.value
        let size = try #require(call.response).body.count
        for attempt in call.attempts {
            show("\(attempt.number) \(attempt.cause): \(attempt.bytesReceived) bytes")
        }
        #expect(shown.all == ["1 first: \(size) bytes"])
    }

    @Test func observing() async throws {
        let shown = Recorded<String>()
        @Sendable func show(_ text: String) { shown.add(text) }
        let observed = Client(baseURL: url) {
            $0.observe { event in
                switch event.kind {
                case .willStart: show("begin \(event.call.name)")
                case .finished(let state, let error): show("end \(state) \(error.map { "\($0)" } ?? "")")
                default: break
                }
            }
        }
        #expect(try await observed.get("/users/1", as: User.self).value.id == 1)
        #expect(shown.all == ["begin GET /users/1", "end success "])
    }

    @Test func observingByClosures() async throws {
        let printed = Recorded<HTTPRequest>()
        @Sendable func print(_ request: HTTPRequest) {
            if request.headers["Observed"] != nil { printed.add(request) }
        }
        let observed = Client(baseURL: url) {
            $0.observe { event in
                if case .sending(let request) = event.kind { print(request) }
            }
        }
        _ = try await observed.get("/users/1", headers: ["Observed": "yes"], as: User.self).value
        #expect(printed.all.count == 1)
    }

    @Test func interceptors() async throws {
        let client = Client(baseURL: URL(string: "http://nowhere.invalid")) {
            $0.interceptors = [Stamp(), Canned()]
        }
        #expect(try await client.get("/users/1", as: User.self).value.name == "Ada")
    }

    struct Stamp: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            var request = request
            request.headers["X-Request-ID"] = "\(context.call.id)"
            return try await next(request)
        }
    }

    struct Canned: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            guard request.url.path == "/users/1" else { return try await next(request) }
            return HTTPResponse(status: .ok, body: Data(#"{"id": 1, "name": "Ada"}"#.utf8), request: request)
        }
    }
}
