#if os(Linux)
    import Foundation
    import TangoRequest
    import TangoTransfers

    extension RequestProcess {
        /// Downloads a URL to a file, and writes a line for each megabyte. A test kills it at any of them.
        ///
        /// The arguments are the URL, the file, the number of parts, and the highest size that the system allows.
        static func download(_ arguments: [String]) async throws {
            guard arguments.count >= 3, let url = URL(string: arguments[1]) else { return }
            let parts = arguments.count > 3 ? Int(arguments[3]) ?? 1 : 1
            if arguments.count > 4, let limit = rlim_t(arguments[4]) {
                // Without this, the system ends the process at the limit.
                signal(SIGXFSZ, SIG_IGN)
                var limits = rlimit(rlim_cur: limit, rlim_max: limit)
                guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limits) == 0 else { return }
            }
            let client = Client {
                $0.timeouts = Timeouts(connect: .seconds(600), idle: .seconds(600))
                $0.retryPolicy = .exponential(attempts: 10, base: .zero)
                $0.retryBudget = .unlimited
            }
            let call = Film(url, of: client, to: URL(fileURLWithPath: arguments[2]), parts: parts).start()
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

        /// Signs a user out who has downloaded in an earlier process only, and then downloads a URL to a file for another user.
        static func downloadAfterSignOut(_ arguments: [String]) async throws {
            guard arguments.count == 4, let url = URL(string: arguments[1]) else { return }
            try await Client { $0.identity = arguments[3] }.signOut()
            let other = Client { $0.identity = "another user than \(arguments[3])" }
            let file = try await Film(url, of: other, to: URL(fileURLWithPath: arguments[2]), parts: 1).start().value
            tell("resumedFrom", file.resumedFrom)
        }

        private final class Film: Download {
            let url: URL
            let owner: Client
            let target: URL
            let count: Int

            init(_ url: URL, of owner: Client, to target: URL, parts: Int) {
                count = parts
                self.url = url
                self.owner = owner
                self.target = target
            }

            override var client: Client { owner }
            override var endpoint: Endpoint { .get(url.absoluteString) }
            override var destination: Destination { .file(target) }
            override var parts: DownloadParts { .upTo(count) }
        }
    }
#endif
