#if os(Linux)
    import Foundation
    import LoopbackServer
    import TangoRequest
    import Testing

    @testable import TestSupport

    /// Responses in flight whose bodies never end, and a transport whose thread can be held.
    final class Crowd: Sendable {
        let transport = CurlTransport(CurlConfiguration(proxy: .direct))
        let arrivals: [Arrival]
        private let progress: [TransportProgress]
        private let mayFill = DispatchSemaphore(value: 0)
        private let full = AsyncStream<Bool>.makeStream()
        private let fillings = Recorded<Bool>()
        private let tasks = Recorded<TransportTask>()
        private let server: RawListener
        private let other: Site

        /// Returns once all responses have begun or ended.
        init(
            count: Int = 12, attempt: Duration? = nil, onEvent: (@Sendable (TransportEvent) -> Void)? = nil
        ) async throws {
            arrivals = (0..<count).map { _ in Arrival() }
            progress = (0..<count).map { _ in TransportProgress() }
            let first = Array("HTTP/1.1 200 OK\r\nContent-Length: 100000000000\r\n\r\n1".utf8)
            other = try Site()
            let begun = AsyncStream<Void>.makeStream()
            server = try RawListener { [mayFill, full] connection in
                guard connection.read() != nil, connection.write(first) else { return }
                begun.continuation.yield()
                mayFill.wait()
                let block = [UInt8](repeating: 0, count: 64 << 10)
                let isFilled = (0..<8).allSatisfy { _ in connection.write(block) }
                full.continuation.yield(isFilled)
                while isFilled, connection.write(block) {}
            }
            let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
            for (arrival, progress) in zip(arrivals, progress) {
                var options = TransportOptions(timeouts: Timeouts(attempt: attempt), delivery: .whole(limit: nil))
                options.progress = progress
                options.onEvent = onEvent
                let task = transport.start(HTTPRequest(url: url), options: options) { [full] response in
                    arrival.completion(response)
                    // An early end must not be waited for.
                    begun.continuation.yield()
                    full.continuation.yield(false)
                }
                tasks.add(task)
            }
            try await within {
                for await _ in begun.stream.prefix(count) {}
            }
        }

        /// The number of bytes that have arrived for all responses before the thread continues.
        var filled: Int { arrivals.count * (512 << 10) }

        /// The number of bytes that the transport has read.
        var received: Int { progress.reduce(0) { $0 + $1.snapshot.received } }

        /// A Boolean value that indicates whether all responses were in flight when the thread continued.
        var isFilled: Bool { fillings.all.allSatisfy { $0 } }

        func cancel() {
            for task in tasks.all { task.cancel() }
        }

        /// Holds the transport's thread in a completion, fills the buffers of all sockets, does some work, and lets the
        /// thread continue.
        func fillWhileHeld(_ work: () async throws -> Void) async throws {
            let (gate, isHeld, mayContinue) = (Gate(), Gate(), DispatchSemaphore(value: 0))
            other.server.enqueue(Response.text("other").held(by: gate))
            _ = transport.start(HTTPRequest(.get, other.server), options: TransportOptions()) { _ in
                isHeld.open()
                mayContinue.wait()
            }
            try await gate.reached()
            gate.open()
            try await isHeld.opened()
            defer { mayContinue.signal() }
            for _ in arrivals { mayFill.signal() }
            try await within { [full, fillings, arrivals] in
                for await isFilled in full.stream.prefix(arrivals.count) { fillings.add(isFilled) }
            }
            try await work()
        }
    }
#endif
