#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest

    extension RequestProcess {
        /// Ends requests in every way during an endless host lookup, and sends other requests meanwhile.
        ///
        /// For a name without a dot the system reads a file of aliases. Here that file is a pipe without a writer.
        static func endlessLookups() async throws {
            let aliases = NSTemporaryDirectory() + "tango-aliases-\(getpid())"
            guard mkfifo(aliases, 0o600) == 0, let url = URL(string: "http://endless/") else { return }
            defer { unlink(aliases) }
            setenv("HOSTALIASES", aliases, 1)
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))

            let task = Task { try await transport.send(HTTPRequest(url: url)) }
            let pipe = await withCheckedContinuation { continuation in
                // This blocks until the lookup opens the pipe too.
                Thread.detachNewThread { continuation.resume(returning: open(aliases, O_WRONLY | O_CLOEXEC)) }
            }
            defer { close(pipe) }
            task.cancel()
            if case .failure(is CancellationError) = await task.result { tell("left", "cancelled") }

            let response = try await transport.send(HTTPRequest(url: server.url))
            tell("response", response.status)
            do {
                let timeouts = Timeouts(connect: .milliseconds(50), idle: nil, total: nil)
                _ = try await transport.send(HTTPRequest(url: url), options: TransportOptions(timeouts: timeouts))
            } catch let error as RequestError {
                tell("late", error.code)
            }

            let last = Task { try await transport.send(HTTPRequest(url: url)) }
            server.enqueue(.text("ok"))
            _ = try await transport.send(HTTPRequest(url: server.url))
            await transport.shutdown()
            if case .failure(let error as RequestError) = await last.result { tell("last", error.code) }
        }
    }
#endif
