#if os(Linux)
    import Foundation
    import LoopbackServer
    import Testing

    @testable import TangoRequest
    @testable import TestSupport

    /// Uploads that wait for `100 Continue`, and files that change while they are sent.
    @Suite(.timeLimit(.minutes(20)))
    struct UploadTests {
        private let site: Site
        private let files = ScratchFiles()
        private let transport = CurlTransport()

        init() throws { site = try Site() }

        private func waiting(_ time: Duration?) -> TransportOptions {
            var timeouts = Timeouts.patient
            timeouts.expectContinue = time
            return TransportOptions(timeouts: timeouts)
        }

        private func put(_ path: String = "/a", _ body: Body = .data(Data(count: 100_000))) -> HTTPRequest {
            HTTPRequest(.put, site.server, path, body: body)
        }

        /// The server reads the rest of the body from the connection, which must not be the next request.
        @Test(arguments: [Body.data(Data(count: 100_000)), .string("short")])
        func earlySuccessEndsTheConnection(_ body: Body) async throws {
            site.server.answer("/a", with: .text("a").beforeRequestBody())
            site.server.answer("/b", with: .text("b"))
            for _ in 0..<2 {
                let first = try await transport.send(put("/a", body), options: waiting(.seconds(600)))
                #expect(first.body == Data("a".utf8))
                let second = try await transport.send(HTTPRequest(.get, site.server, "/b"), options: waiting(nil))
                #expect(second.body == Data("b".utf8))
            }
        }

        /// With a handle that has received a 417, libcurl would send the next body at once.
        @Test func bodyWaitsAlsoAfterARefusedExpectation() async throws {
            site.server.answer("/a", with: .text("no", status: 417).beforeRequestBody())
            for _ in 0..<2 {
                let response = try await transport.send(put(), options: waiting(.seconds(600)))
                #expect(response.status == .expectationFailed)
                #expect(response.metrics.bodyBytesSent == 0)
            }
        }

        /// One transfer that cannot begin makes room for the next, which cannot either.
        @Test func thousandsOfTransfersThatCannotBeginEnd() async throws {
            let file = files.url.appending(path: "a")
            try Data("a".utf8).write(to: file)
            let gate = Gate()
            site.server.answer("/a", with: .text("a").held(by: gate))
            let transport = CurlTransport(CurlConfiguration(limit: 1))
            let facts = Facts()
            func start(_ request: HTTPRequest) {
                _ = transport.start(request, options: waiting(nil)) { response in
                    facts.note((try? response()) == nil ? "failed" : "responded")
                }
            }
            start(HTTPRequest(.get, site.server, "/a"))
            try await gate.reached()
            for _ in 0..<2000 { start(put("/a", .file(file))) }
            try FileManager.default.removeItem(at: file)
            gate.open()
            await facts.reached(count: 2001)
            #expect(facts.all.count { $0 == "failed" } == 2000)
            await transport.shutdown()
        }

        @Test func refusalComesBeforeTheBody() async throws {
            site.server.answer("/a", with: .text("too large", status: 413).beforeRequestBody().closing())
            let response = try await transport.send(put(), options: waiting(.seconds(600)))
            #expect(response.status.code == 413)
            let request = try #require(site.server.requests.first)
            #expect(request.headers["Expect"] == "100-continue")
            #expect(request.bodyCount == 0)
        }

        @Test(arguments: [10, 100_000])
        func bodyFollowsTheContinue(_ size: Int) async throws {
            site.server.answer("/a", with: .text("ok"))
            let response = try await transport.send(
                put("/a", .data(Data(count: size))), options: waiting(.seconds(600)))
            #expect(response.status == 200)
            #expect(site.server.requests.first?.headers["Expect"] == "100-continue")
            #expect(site.server.requests.first?.bodyCount == size)
        }

        @Test func silentServerGetsTheBodyAfterTheWait() async throws {
            site.server.answer("/a", with: Response.text("ok").withoutContinue())
            let response = try await transport.send(put(), options: waiting(.milliseconds(1)))
            #expect(response.status == 200)
            #expect(site.server.requests.first?.bodyCount == 100_000)
        }

        @Test func onlyRequestsWithABodyAndTheOptionWait() async throws {
            site.server.answer("/a", with: .text("ok"))
            for (request, time) in [
                (put(), .seconds(600)), (HTTPRequest(.get, site.server, "/a"), .seconds(600)), (put(), nil),
                (HTTPRequest(.get, site.server, "/a"), nil),
            ] as [(HTTPRequest, Duration?)] {
                _ = try await transport.send(request, options: waiting(time))
            }
            #expect(site.server.requests.map { $0.headers["Expect"] } == ["100-continue", nil, nil, nil])
        }

        @Test func waitOfZeroIsRefused() async throws {
            let error = try await failure { try await transport.send(put(), options: waiting(.zero)) }
            #expect(error.code == .badPolicy)
            #expect(site.server.requests.isEmpty)
        }

        // MARK: Files that change

        /// Changes a file while the server reads nothing. The buffers of the sockets hold less than the file.
        private func change(_ file: URL, _ body: Body, _ change: @escaping @Sendable () throws -> Void) async throws
            -> RequestError
        {
            let gate = Gate()
            site.server.enqueue(Response.text("ok").held(by: gate, at: .requestHead))
            let request = put("/a", body)
            var options = waiting(nil)
            let progress = TransportProgress()
            options.progress = progress
            let sending = Task { [options] in try await transport.send(request, options: options) }
            try await site.server.waitForHead()
            // Then the file is open.
            while progress.snapshot.sent < 1 << 20 { await Task.yield() }
            try change()
            gate.open()
            return try await failure { try await sending.value }
        }

        private static let size = 64 << 20

        @Test func fileThatIsWrittenWhileItIsSentIsAnError() async throws {
            let file = try files.sparse("a", Int64(Self.size))
            let error = try await change(file, .file(file)) {
                let handle = try FileHandle(forUpdating: file)
                try handle.seek(toOffset: UInt64(Self.size - 1))
                try handle.write(contentsOf: Data([1]))
                try handle.close()
            }
            #expect(error.code == .badBody)
            #expect(error.detail.contains("was changed while it was sent"))
            #expect(site.server.requests.allSatisfy { $0.bodyCount < Self.size })
        }

        @Test func partThatIsWrittenWhileItIsSentIsAnError() async throws {
            let file = try files.sparse("a", Int64(Self.size))
            let form = Multipart(parts: [.file(file, named: "film")])
            let error = try await change(file, .multipart(form).encoded(with: .default)) {
                let handle = try FileHandle(forUpdating: file)
                try handle.write(contentsOf: Data([1]))
                try handle.close()
            }
            #expect(error.code == .badBody)
            #expect("\(error.detail) \(error.underlying.debugDescription)".contains("was changed while it was sent"))
        }

        @Test func replacedFileIsSentAsItWas() async throws {
            let file = try files.sparse("a", Int64(Self.size))
            let other = try files.file("b", Data("other".utf8))
            let gate = Gate()
            site.server.enqueue(Response.text("ok").held(by: gate, at: .requestHead))
            let request = put("/a", .file(file))
            let sending = Task { try await transport.send(request, options: waiting(nil)) }
            try await site.server.waitForHead()
            #expect(rename(other.path, file.path) == 0)
            gate.open()
            #expect(try await sending.value.status == 200)
            #expect(site.server.requests.first?.bodyCount == Self.size)
        }
    }

    extension LoopbackServer {
        /// Returns once the head of a request with a body has been read.
        fileprivate func waitForHead() async throws {
            try await happened { if case .head = $0 { true } else { false } }
        }
    }
#endif
