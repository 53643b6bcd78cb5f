#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest
    import TangoURLSession

    extension RequestProcess {
        /// Counts the descriptors that many file uploads hold while they wait for a connection to one host.
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
            // An upload of a missing file fails at once. By then the transport has processed all uploads before it.
            let missing = HTTPRequest(
                method: .put, url: server.url("/file"), body: .file(URL(fileURLWithPath: path + "-missing")))
            for _ in 0..<count {
                do {
                    _ = try await transport.send(missing, options: options)
                } catch let error as RequestError where error.code == .badBody {}
            }
            // The file grows while the uploads wait. Each sends the bytes that the file has when it is opened.
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(", and more".utf8))
            try handle.close()
            tell("descriptors", Resources.now().descriptors - before.descriptors)
            gate.open()
            _ = try await first.value
            var responses = 0
            for upload in uploads where try await upload.value == 200 { responses += 1 }
            tell("responses", responses)
            await transport.shutdown()
        }
    }
#endif
