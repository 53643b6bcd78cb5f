#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoPromise
    import TangoRequest

    extension RequestProcess {
        /// Releases objects whose `deinit` uses the object that released them. A release under a lock ends the process.
        static func releases() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("a"))
            let ends = Ends()

            observers(ends)
            defaultClients(ends)
            diagnostics(ends)
            try await userInfo(server, ends)
            try await callbacks(server, ends)
            for fails in [false, true] { try await responses(fails, ends) }
            // Callbacks are released on the thread on which they would have run.
            let limit = ContinuousClock.now + .seconds(60)
            while ends.count < 8, ContinuousClock.now < limit { await Task.yield() }
            tell("ends", ends.count)
        }

        private final class Ends: Sendable {
            private let total = Atomic(0)
            var count: Int { total.load(ordering: .relaxed) }
            func note() { total.add(1, ordering: .relaxed) }
        }

        /// An object that runs a closure when it is released.
        private final class Dying: Sendable {
            private let ends: Ends
            private let body: @Sendable () -> Void

            init(_ ends: Ends, _ body: @escaping @Sendable () -> Void) {
                self.ends = ends
                self.body = body
            }

            deinit {
                body()
                ends.note()
            }
        }

        private struct Observer: CallObserver {
            var dying: Dying?
            func observe(_ event: CallEvent) {}
        }

        private static func observers(_ ends: Ends) {
            let observation = Client.observe(
                all: Observer(dying: Dying(ends) { Client.observe(all: Observer()).end() }))
            observation.end()
        }

        private static func defaultClients(_ ends: Ends) {
            Client.default = Client {
                $0.observers = [Observer(dying: Dying(ends) { tell("client", Client.default.activeCalls) })]
            }
            Client.default = Client()
        }

        private static func diagnostics(_ ends: Ends) {
            let dying = Dying(ends) { tell("hook", RequestDiagnostics.onMistake == nil) }
            RequestDiagnostics.onMistake = { _ in _ = dying }
            RequestDiagnostics.onMistake = nil
        }

        private static func userInfo(_ server: LoopbackServer, _ ends: Ends) async throws {
            let call = Text(server.url).start()
            call.userInfo["a"] = Dying(ends) { [unowned call] in _ = call.userInfo["b"] }
            call.userInfo["a"] = nil
            call.userInfo["a"] = Dying(ends) { [unowned call] in _ = call.userInfo.all }
            call.userInfo.update { info in
                info.removeAll()
                // The closure may use the call too.
                info["state"] = call.isFinished ? "finished" : "not finished"
                info["count"] = call.userInfo.all.count
            }
            tell("info", call.userInfo.all.count)
            _ = try await call.value
        }

        private static func callbacks(_ server: LoopbackServer, _ ends: Ends) async throws {
            let gate = Gate()
            server.answer("/held", with: .text("a").held(by: gate))
            let call = Text(server.url("/held")).start()
            addCallback(to: call, ends)
            call.detach()
            gate.open()
            _ = try await call.value
        }

        private static func addCallback(to call: Call<String>, _ ends: Ends) {
            let dying = Dying(ends) { [weak call] in tell("state", call?.state.description ?? "gone") }
            call.then { _, _ in _ = dying }
        }

        /// Replaces the response of the transport by that of an interceptor, or by that of the interceptor's error.
        private static func responses(_ fails: Bool, _ ends: Ends) async throws {
            let current = Current()
            let client = Client {
                $0.transport = ReplacedTransport(ends: ends, current: current)
                $0.interceptors = [Replacing(fails: fails)]
                $0.observers = [Observer()]
            }
            let url = URL(string: "http://localhost/") ?? URL(fileURLWithPath: "/")
            let call = Text(url, of: client).start()
            current.call.withLock { $0 = call }
            do {
                tell("replaced", try await call.value)
            } catch let error as RequestError {
                tell("failed", error.response?.status ?? 0)
            }
            current.call.withLock { $0 = nil }
        }

        private final class Current: Sendable {
            let call = Mutex<Call<String>?>(nil)
        }

        private final class Text: Request<String> {
            let url: URL
            let owner: Client
            init(_ url: URL, of owner: Client = Client()) {
                self.url = url
                self.owner = owner
            }
            override var client: Client { owner }
            override var endpoint: Endpoint { .get(url.absoluteString) }
        }

        private struct ReplacedTransport: Transport {
            let ends: Ends
            let current: Current
            var capabilities: TransportCapabilities { [] }
            func shutdown() async {}

            func start(
                _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
            ) -> TransportTask {
                let task = Task {
                    while current.call.withLock({ $0 }) == nil { await Task.yield() }
                    // The response is created where it is delivered, so that this task does not retain it.
                    completion { response(to: request) }
                }
                return TransportTask { task.cancel() }
            }

            private func response(to request: HTTPRequest) -> HTTPResponse {
                let dying = Dying(ends) { [current] in
                    guard let call = current.call.withLock({ $0 }) else { return }
                    tell("released", "\(call.state) \(call.response?.status ?? 0)")
                }
                return HTTPResponse(status: 200, stream: BodyStream(Source(dying)), request: request)
            }
        }

        private final class Source: BodySource {
            let dying: Dying
            init(_ dying: Dying) { self.dying = dying }
            func next() async throws -> Data? { nil }
            func cancel() {}
            var ending: BodyStream.Ending? { nil }
        }

        private struct Replacing: Interceptor {
            let fails: Bool
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                _ = try await next(request)
                let response = HTTPResponse(status: 503, body: Data("b".utf8), request: request)
                if fails { throw RequestError(.badStatus, phase: .decode, detail: "replaced", response: response) }
                var fine = response
                fine.status = 200
                return fine
            }
        }
    }
#endif
