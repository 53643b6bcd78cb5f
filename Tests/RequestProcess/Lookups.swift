#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest

    extension RequestProcess {
        /// Requests that end in every way while their host is looked up, which has no end, and others meanwhile.
        ///
        /// For a name without a dot the system reads a file of aliases, which here is a pipe that nobody writes to.
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
                // It is opened when the look-up opens it too.
                Thread.detachNewThread { continuation.resume(returning: open(aliases, O_WRONLY | O_CLOEXEC)) }
            }
            defer { close(pipe) }
            task.cancel()
            if case .failure(is CancellationError) = await task.result { tell("left", "cancelled") }

            let response = try await transport.send(HTTPRequest(url: server.url))
            tell("answer", response.status)
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
