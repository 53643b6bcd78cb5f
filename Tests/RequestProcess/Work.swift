#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoRequest

    extension RequestProcess {
        private static let effects: [Fault.Effect] = [
            .close, .reset, .halfClose, .stall, .throttle(bytes: 5_000, every: .milliseconds(1)), .truncate, .garbage,
        ]

        /// Injects every fault at every stage, `rounds` times, with a new transport for each round.
        static func faults(rounds: Int) async throws {
            // The first round creates what exists once for each process.
            try await faultRound()
            let before = Resources.now()
            for _ in 0..<rounds { try await faultRound() }
            await Resources.tellExcess(over: before)
        }

        private static func faultRound() async throws {
            let server = try LoopbackServer()
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            let timeouts = Timeouts(connect: .seconds(60), idle: .milliseconds(100), total: .seconds(60))
            for effect in effects {
                for moment in Fault.Moment.allCases {
                    for delivery in [TransportOptions.Delivery.whole(), .stream] {
                        for body in [Body.none, .data(Data(count: 300_000))] {
                            server.removeResponses()
                            if moment == .accept { server.enqueueFault(atAccept: effect) }
                            server.answer(with: .generated(bytes: 30_000).failing(effect, at: moment))
                            let request = HTTPRequest(method: .put, url: server.url, body: body)
                            let options = TransportOptions(timeouts: timeouts, delivery: delivery)
                            var response = try? await transport.send(request, options: options)
                            try? await response?.collect()
                        }
                    }
                }
            }
            await transport.shutdown()
            server.stop()
        }

        /// Creates, uses and releases transports in every state.
        static func clients(_ count: Int) async throws {
            let server = try LoopbackServer()
            server.answer("/text", with: .text("ok"))
            server.answer("/endless", with: .generated(bytes: 1 << 40))
            func use(_ number: Int) async throws {
                let transport = CurlTransport(CurlConfiguration(proxy: .direct))
                let stream = TransportOptions(delivery: .stream)
                switch number % 6 {
                case 0: _ = try await transport.send(HTTPRequest(url: server.url("/text")))
                case 1:
                    _ = try await transport.send(HTTPRequest(url: server.url("/text")))
                    await transport.shutdown()
                case 2: _ = try await transport.send(HTTPRequest(url: server.url("/endless")), options: stream)
                case 3:
                    let response = try await transport.send(HTTPRequest(url: server.url("/endless")), options: stream)
                    for try await _ in response.stream { break }
                case 4:
                    let response = try await transport.send(HTTPRequest(url: server.url("/endless")), options: stream)
                    await transport.shutdown()
                    do { for try await _ in response.stream {} } catch {}
                default:
                    let task = Task { try await transport.send(HTTPRequest(url: server.url("/endless"))) }
                    await Task.yield()
                    task.cancel()
                    _ = await task.result
                }
            }
            for number in 0..<12 { try await use(number) }
            try await server.connections(open: 0)
            let before = await Resources.settled(at: Resources(descriptors: .max, threads: 0))
            for number in 0..<count { try await use(number) }
            try await server.connections(open: 0)
            await Resources.tellExcess(over: before)
            tellLibraries()
        }

        /// Sends many requests with one transport, several at a time.
        static func many(_ count: Int) async throws {
            let server = try LoopbackServer(recording: .none, bodies: .none)
            server.answer(with: .generated(bytes: 2_000))
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            func send(_ count: Int) async throws {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for lane in 0..<8 {
                        group.addTask {
                            for number in 0..<count / 8 {
                                let isStream = (number + lane) % 2 == 0
                                let body: Body = number % 3 == 0 ? .data(Data(count: 1000)) : .none
                                let options = TransportOptions(delivery: isStream ? .stream : .whole())
                                let request = HTTPRequest(method: .put, url: server.url("/\(number)"), body: body)
                                var response = try await transport.send(request, options: options)
                                try await response.collect()
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await send(count / 5)
            let (before, memory) = (Resources.now(), Resources.memory)
            try await send(count)
            tell("memory", Resources.memory - memory)
            await Resources.tellExcess(over: before)
            tell("connections", server.connections.accepted)
            await transport.shutdown()
        }

        /// Sends requests while the process has no free descriptors, and again once it has some.
        static func exhausted() async throws {
            let server = try LoopbackServer()
            server.answer(with: .text("ok"))
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            _ = try await transport.send(HTTPRequest(url: server.url))
            let gate = Gate()
            server.answer("/held", with: .text("ok").held(by: gate))
            let held = Task { try await transport.send(HTTPRequest(url: server.url("/held"))) }
            try await gate.reached()
            var limits = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            var none = limits
            none.rlim_cur = 0
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            let file = Body.file(URL(fileURLWithPath: "/proc/self/exe"))
            var codes: [String] = []
            for request in [HTTPRequest(url: server.url), HTTPRequest(method: .post, url: server.url, body: file)] {
                do {
                    codes.append("\(try await transport.send(request).status)")
                } catch let error as RequestError {
                    codes.append("\(error.code):\(error.isRetryable)")
                }
            }
            do {
                _ = try await CurlTransport(CurlConfiguration(proxy: .direct)).send(HTTPRequest(url: server.url))
            } catch let error as RequestError {
                codes.append("\(error.code):\(error.isRetryable)")
            }
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
            tell("codes", codes.joined(separator: ","))
            gate.open()
            tell("held", try await held.value.status)
            tell("after", try await transport.send(HTTPRequest(url: server.url)).status)
        }

        /// Sends requests on a system without libcurl.
        static func missing() async throws {
            let server = try LoopbackServer()
            var codes: [String] = []
            for _ in 0..<3 {
                do {
                    codes.append(try await Client(baseURL: server.url).get("/", as: String.self).value)
                } catch let error as RequestError {
                    codes.append("\(error.code)")
                    tell("detail", error.detail)
                }
            }
            tell("codes", codes.joined(separator: ","))
            tell("requests", server.requests.count)
            tell("problem", CurlTransport.problem ?? "none")
            tell("version", CurlTransport.version ?? "none")
            tellLibraries()
        }

        /// Prints which of the libraries this process has loaded.
        static func tellLibraries() {
            // The system reports a size of 0 for this file, so it is read to its end.
            let bytes = try? FileHandle(forReadingAtPath: "/proc/self/maps")?.readToEnd()
            let maps = String(decoding: bytes ?? Data(), as: UTF8.self)
            tell("curl", maps.contains("libcurl"))
            tell("networking", maps.contains("libFoundationNetworking"))
        }

        /// Writes to servers that close the connection meanwhile. No signal may end the process.
        static func brokenPipes(_ count: Int) async throws {
            signal(SIGPIPE, SIG_DFL)
            let server = try LoopbackServer()
            let transport = CurlTransport(CurlConfiguration(proxy: .direct))
            for number in 0..<count {
                server.answer(with: .text("ok").failing(number % 2 == 0 ? .reset : .close, at: .requestBody))
                let body = Body.data(Data(count: 20_000_000))
                _ = try? await transport.send(HTTPRequest(method: .post, url: server.url, body: body))
            }
            await transport.shutdown()
        }
    }
#endif
