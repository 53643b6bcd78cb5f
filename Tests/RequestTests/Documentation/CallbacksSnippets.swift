import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

/// The code of "Callbacks and schedulers", and what that article says about it.
@Suite struct CallbacksSnippets: SampleAPI {
    private let url = Sample.server.url

    @Test func threeWays() async throws {
        let call = GetUser(id: 1).start()
        let name = call.promise.next { user in user.name }
        let user = try await call.value
        call.then { user, call in
            show("\(user.name), \(call.response?.status ?? 0)")
        } failure: { error, call in
            show("\(error)")
        }
        #expect(try await name.value == user.name)

        call.userInfo["screen"] = "profile"
        #expect(call.userInfo["screen"] as? String == "profile")

        let again = call.retry()
        #expect(again.id != call.id)
        #expect(try await again.value == user)
    }

    @MainActor final class ProfileModel {
        var name = ""
        var failure: String?

        func load() {
            GetUser(id: 1).start(on: .main) { user, _ in
                self.name = user.name
            } failure: { error, _ in
                self.failure = "\(error)"
            }
        }

        func reload() {
            GetUser(id: 1).promise
                .next(on: .main) { user in self.name = user.name }
                .catch(on: .main) { error in self.failure = "\(error)" }
        }
    }

    @Test func schedulers() async throws {
        let onMain = Client(baseURL: url, callbackScheduler: .queue(.main))
        let onQueue = Client(baseURL: url, callbackScheduler: .operations(OperationQueue()))
        for client in [onMain, onQueue] {
            #expect(try await client.get("/users/1", as: User.self).value.name == "Ada")
        }
    }

    @Test func cancelling() async {
        let film = GetFilm().start { film, _ in show("\(film.count) bytes") }
        film.cancel()
        // It may have been done before that.
        let isDone = (try? await film.value) != nil
        #expect(film.state == .finished(isDone ? .success : .cancelled))
    }

    @Test func lifetimes() async throws {
        final class Search {
            private(set) var call: Call<User>?

            func update(to id: Int) {  // the call before is cancelled
                call = GetUser(id: id).start(lifetime: .unmanaged) { user, _ in print(user.name) }
            }
        }
        let search = Search()
        search.update(to: 1)
        search.update(to: 2)
        #expect(try await search.call?.value.id == 2)
    }

    @Test func following() async throws {
        let download = GetFilm().start()
        for await progress in download.progress {
            show("\(progress.received) of \(progress.receivedTotal ?? 0) bytes")
        }
        for await state in download.states { show("\(state)") }  // it has finished: the last one
        #expect(download.state == .finished(.success))
    }

    @Test func listing() {
        let client = Client(baseURL: url)
        client.cancelAll(tagged: "profile")
        for call in client.calls { show("\(call)") }  // "call 7, GET /users/1, running"
        #expect(client.activeCalls == 0)
    }

    @Test func observing() async throws {
        let shown = Recorded<String>()
        @Sendable func show(_ text: String) { shown.add(text) }
        let log = CallObservation { event in
            switch event.kind {
            case .willStart: show("begin \(event.call.name)")
            case .finished(let state, let error): show("end \(state) \(error.map { "\($0)" } ?? "")")
            default: break
            }
        }
        let observed = Client(baseURL: url, observers: [log])
        #expect(try await observed.get("/users/1", as: User.self).value.id == 1)
        #expect(shown.all == ["begin GET /users/1", "end success "])
    }

    @Test func interceptors() async throws {
        let client = Client(baseURL: URL(string: "http://nowhere.invalid"), interceptors: [Stamp(), Canned()])
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
