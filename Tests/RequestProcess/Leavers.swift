#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoRequest

    extension RequestProcess {
        /// Requests of all kinds that are cancelled at any moment, by any thread: each must end, once, and leave nothing.
        static func leavers(seed: Int, by transport: String?) async throws {
            let server = try LoopbackServer(recording: .none, bodies: .none)
            server.answer("/text", with: .text("ok"))
            server.answer("/slow", with: .text("ok").delayed(by: .milliseconds(3)))
            server.answer("/body", with: .generated(bytes: 3_000_000))
            server.answer("/drip", with: .generated(bytes: 3_000).throttled(bytes: 300, every: .milliseconds(1)))
            try await leave(server, seed, 50, transport)
            try await server.connections(open: 0)
            let before = await Resources.settled(at: Resources(descriptors: 0, threads: 0))
            try await leave(server, seed, 600, transport)
            try await server.connections(open: 0)
            await Resources.tellExcess(over: before)
        }

        private static func leave(
            _ server: LoopbackServer, _ seed: Int, _ count: Int, _ name: String?
        ) async throws {
            let transport: any Transport =
                name == "urlsession"
                ? URLSessionTransport(.init(proxy: .direct, limit: 20, buffer: 100_000))
                : CurlTransport(CurlConfiguration(proxy: .direct, limit: 20, buffer: 100_000))
            let endings = Endings()
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        var random = Seeded(state: UInt64(seed &* 1000 + lane + 1))
                        for _ in 0..<count / 8 {
                            let how = await one(transport, server, &random)
                            endings.add(how)
                        }
                    }
                }
            }
            await transport.shutdown()
            for (how, count) in endings.all.sorted(by: { $0.key < $1.key }) { tell("ended.\(how)", count) }
        }

        private static func one(
            _ transport: any Transport, _ server: LoopbackServer, _ random: inout Seeded
        ) async -> String {
            let path = ["/text", "/slow", "/body", "/drip"][Int.random(in: 0..<4, using: &random)]
            let isStream = Bool.random(using: &random)
            let body: Body =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .data(Data(count: 500_000))
                case 1: .stream(portions())
                default: .none
                }
            let delay = UInt32.random(in: 0..<4_000, using: &random)
            let leaves = Int.random(in: 0..<3, using: &random)
            let request = HTTPRequest(method: .put, url: server.url(path), body: body)
            let options = TransportOptions(delivery: isStream ? .stream : .whole()) { _ in }
            let task = Task {
                var response = try await transport.send(request, options: options)
                if leaves == 2 { response.stream.cancel() }
                try await response.collect()
                return response.body.count
            }
            if leaves > 0 {
                Thread.detachNewThread {
                    usleep(delay)
                    task.cancel()
                }
            }
            switch await task.result {
            case .success(let count):
                return (path == "/body" ? count == 3_000_000 : path == "/drip" ? count == 3_000 : count == 2)
                    ? "whole" : "wrong"
            case .failure(is CancellationError): return leaves > 0 ? "cancelled" : "wrong"
            case .failure(let error as RequestError): return "\(error.code)"
            case .failure: return "wrong"
            }
        }
    }

    private func portions() -> AsyncStream<Data> {
        AsyncStream { continuation in
            for _ in 0..<3 { continuation.yield(Data(count: 1000)) }
            continuation.finish()
        }
    }

    /// How many requests ended how.
    private final class Endings: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        var all: [String: Int] { counts.withLock { $0 } }

        func add(_ how: String) {
            counts.withLock { $0[how, default: 0] += 1 }
        }
    }

    /// A generator that gives the same numbers each time.
    struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9e37_79b9_7f4a_7c15
            var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
            return mixed ^ (mixed >> 31)
        }
    }
#endif
