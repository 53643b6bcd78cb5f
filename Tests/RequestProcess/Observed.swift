#if os(Linux)
    import LoopbackServer
    import Synchronization
    import TangoRequest

    extension RequestProcess {
        /// Tests an observer of all clients. It affects every call of the process, so it needs a process of its own.
        static func observed() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("a"))
            let endings = Endings()
            let client = Client(baseURL: server.url) { $0.observers = [Ending("client", endings)] }
            let observation = Client.observe(all: Ending("all", endings))
            _ = try await client.get("/a", as: String.self).value
            observation.end()
            _ = try await client.get("/a", as: String.self).value
            tell("endings", endings.all.joined(separator: ","))
            let closures = Endings()
            let byClosure = Client.observe { event in
                if case .finished = event.kind { closures.note("closure") }
            }
            _ = try await client.get("/a", as: String.self).value
            byClosure.end()
            _ = try await client.get("/a", as: String.self).value
            tell("closures", closures.all.joined(separator: ","))
            observeAndEnd { _ in closures.note("ended") }
            _ = try await client.get("/a", as: String.self).value
            tell("ended", closures.all.contains("ended"))
        }

        private final class Endings: Sendable {
            private let names = Mutex<[String]>([])
            var all: [String] { names.withLock(\.self) }
            func note(_ name: String) { names.withLock { $0.append(name) } }
        }

        private struct Ending: CallObserver {
            private let name: String
            private let endings: Endings

            init(_ name: String, _ endings: Endings) {
                self.name = name
                self.endings = endings
            }

            func observe(_ event: CallEvent) {
                if case .finished = event.kind { endings.note(name) }
            }
        }
    }
#endif
