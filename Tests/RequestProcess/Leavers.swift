#if os(Linux)
    import Foundation
    import LoopbackServer
    import Synchronization
    import TangoRequest
    import TangoURLSession

    extension RequestProcess {
        /// Cancels requests of all kinds at random moments on random threads. Each must end exactly once and leak nothing.
        static func leavers(seed: Int, by transport: String?) async throws {
            let server = try LoopbackServer(recording: .none, bodies: .none)
            server.answer("/text", with: .text("ok"))
            server.answer("/slow", with: .text("ok").delayed(by: .milliseconds(3)))
            server.answer("/body", with: .generated(bytes: 3_000_000))
            server.answer("/drip", with: .generated(bytes: 3_000).throttled(bytes: 300, every: .milliseconds(1)))
            try await leave(server, seed, 50, transport)
            try await server.connections(open: 0)
            let before = await Resources.settled(at: Resources(descriptors: .max, threads: 0))
            try await leave(server, seed, 600, transport)
            try await server.connections(open: 0)
            await Resources.tellExcess(over: before)
        }

        private static func leave(
            _ server: LoopbackServer, _ seed: Int, _ count: Int, _ name: String?
        ) async throws {
            #if URLSessionOnLinux
                let transport: any Transport =
                    name == "urlsession"
                    ? URLSessionTransport(.init(proxy: .direct, limit: 20, buffer: 100_000))
                    : CurlTransport(CurlConfiguration(proxy: .direct, limit: 20, buffer: 100_000))
            #else
                let transport = CurlTransport(CurlConfiguration(proxy: .direct, limit: 20, buffer: 100_000))
            #endif
            let endings = Endings()
            let moments = Moments()
            await withTaskGroup(of: Void.self) { group in
                for lane in 0..<8 {
                    group.addTask {
                        var random = Seeded(state: UInt64(seed &* 1000 + lane + 1))
                        for _ in 0..<count / 8 {
                            let how = await one(transport, server, moments, &random)
                            endings.add(how)
                        }
                    }
                }
            }
            await transport.shutdown()
            for (how, count) in endings.all.sorted(by: { $0.key < $1.key }) { tell("ended.\(how)", count) }
        }

        private static func one(
            _ transport: any Transport, _ server: LoopbackServer, _ moments: Moments, _ random: inout Seeded
        ) async -> String {
            let path = ["/text", "/slow", "/body", "/drip"][Int.random(in: 0..<4, using: &random)]
            let isStream = Bool.random(using: &random)
            let body: Body =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .data(Data(count: 500_000))
                case 1: .stream(portions())
                default: .none
                }
            let moment = Int.random(in: 0..<40, using: &random)
            let leaves = Int.random(in: 0..<3, using: &random)
            let request = HTTPRequest(method: .put, url: server.url(path), body: body)
            let options = TransportOptions(delivery: isStream ? .stream : .whole()) { _ in moments.pass() }
            let task = Task {
                var response = try await transport.send(request, options: options)
                if leaves == 2 { response.stream.cancel() }
                try await response.collect()
                return response.body.count
            }
            if leaves > 0 { moments.after(moment) { task.cancel() } }
            let result = await task.result
            moments.pass()
            switch result {
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

    /// A count of the events of all requests, with actions that run when the count reaches a number.
    private final class Moments: Sendable {
        private struct State {
            var passed = 0
            var waiting: [(moment: Int, work: @Sendable () -> Void)] = []
        }

        private let state = Mutex(State())

        /// Runs `work` on a thread of its own, at once or after `count` more events.
        func after(_ count: Int, _ work: @escaping @Sendable () -> Void) {
            state.withLock { $0.waiting.append(($0.passed + count, work)) }
            pass(0)
        }

        func pass(_ count: Int = 1) {
            let due = state.withLock { state in
                state.passed += count
                let due = state.waiting.filter { $0.moment <= state.passed }
                state.waiting.removeAll { $0.moment <= state.passed }
                return due
            }
            for (_, work) in due { Thread.detachNewThread { work() } }
        }
    }

    /// The number of requests for each kind of end.
    private final class Endings: Sendable {
        private let counts = Mutex<[String: Int]>([:])

        var all: [String: Int] { counts.withLock { $0 } }

        func add(_ how: String) {
            counts.withLock { $0[how, default: 0] += 1 }
        }
    }

    /// A random number generator with a fixed sequence.
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
