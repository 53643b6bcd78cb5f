#if os(Linux)
    import Foundation
    import TangoRequest

    extension RequestProcess {
        /// Downloads a URL to a file, and writes a line for each megabyte. A test kills it at any of them.
        static func download(_ arguments: [String]) async throws {
            guard arguments.count >= 3, let url = URL(string: arguments[1]) else { return }
            let client = Client {
                $0.timeouts = Timeouts(connect: .seconds(600), idle: .seconds(600))
                $0.retryPolicy = .exponential(attempts: 10, base: .zero)
                $0.retryBudget = .unlimited
            }
            let call = Film(url, of: client, to: URL(fileURLWithPath: arguments[2])).start()
            var told = 0
            for await progress in call.progress where progress.received >= told {
                told = progress.received + 1 << 20
                tell("received", progress.received)
            }
            let file = try await call.value
            tell("resumedFrom", file.resumedFrom)
            tell("count", file.count)
            tell("attempts", call.attempts.count)
        }

        private final class Film: Download {
            let url: URL
            let owner: Client
            let target: URL

            init(_ url: URL, of owner: Client, to target: URL) {
                self.url = url
                self.owner = owner
                self.target = target
            }

            override var client: Client { owner }
            override var endpoint: Endpoint { .get(url.absoluteString) }
            override var destination: Destination { .file(target) }
        }
    }
#endif
