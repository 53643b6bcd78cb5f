#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest

    extension RequestProcess {
        /// Many uploads of a file that wait for their turn at one host, and what they hold meanwhile.
        static func queued(_ count: Int, by name: String?) async throws {
            let server = try LoopbackServer(recording: .none, bodies: .none)
            let gate = Gate()
            server.answer("/held", with: .text("ok").held(by: gate))
            server.answer("/file", with: .text("ok"))
            #if URLSessionOnLinux
                let transport: any Transport =
                    name == "urlsession"
                    ? URLSessionTransport(.init(proxy: .direct, limitPerHost: 1))
                    : CurlTransport(CurlConfiguration(proxy: .direct, limitPerHost: 1))
            #else
                let transport = CurlTransport(CurlConfiguration(proxy: .direct, limitPerHost: 1))
            #endif
            let path = NSTemporaryDirectory() + "tango-queued-\(getpid())"
            try Data("what is sent".utf8).write(to: URL(fileURLWithPath: path))
            defer { unlink(path) }
            let options = TransportOptions(timeouts: .none)
            let first = Task { try await transport.send(HTTPRequest(url: server.url("/held")), options: options) }
            try await gate.reached()
            let before = Resources.now()
            let file = HTTPRequest(
                method: .put, url: server.url("/file"), body: .file(URL(fileURLWithPath: path)))
            let uploads = (0..<count).map { _ in Task { try await transport.send(file, options: options).status } }
            // Of a file that is missing, each fails at once: all before it have been looked at by then.
            let missing = HTTPRequest(
                method: .put, url: server.url("/file"), body: .file(URL(fileURLWithPath: path + "-missing")))
            for _ in 0..<count {
                do {
                    _ = try await transport.send(missing, options: options)
                } catch let error as RequestError where error.code == .badBody {}
            }
            // The file grows while they wait: what is sent is what is there when it is opened.
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(", and more".utf8))
            try handle.close()
            tell("descriptors", Resources.now().descriptors - before.descriptors)
            gate.open()
            _ = try await first.value
            var answers = 0
            for upload in uploads where try await upload.value == 200 { answers += 1 }
            tell("answers", answers)
            await transport.shutdown()
        }
    }
#endif
