import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Events and metrics of requests.
@Suite(.timeLimit(.minutes(20))) struct ObservationTests {
    typealias Kind = TransportUnderTest

    private static let deliveries: [TransportOptions.Delivery] = [.whole(), .stream]

    @Test(arguments: Kind.overTLS, SentBodiesTests.Form.allCases)
    func reportsSentBytes(_ kind: Kind, _ form: SentBodiesTests.Form) async throws {
        let files = ScratchFiles()
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for size in [10, 3_000_000] {
                let seen = Recorded<(Int, Int?)>()
                let options = TransportOptions { event in
                    if case .sent(let bytes, let total) = event { seen.add((bytes, total)) }
                }
                let body = try form.body(generated(size), files)
                _ = try await transport.send(HTTPRequest(.put, server, body: body), options: options)
                let all = seen.all
                #expect(all.last?.0 == size)
                #expect(all.allSatisfy { $0.1 == (form.isChunked ? nil : size) })
                #expect(zip(all, all.dropFirst()).allSatisfy { $0.0 < $1.0 })
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func reportsReceivedBytes(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for size in [10, 3_000_000, 100_000_000] {
                for delivery in Self.deliveries {
                    for answer in [Response.generated(bytes: size), .generated(bytes: size).chunked()] {
                        server.enqueue(answer)
                        let seen = Recorded<(Int, Int?)>()
                        let options = TransportOptions(delivery: delivery) { event in
                            if case .received(let bytes, let total) = event { seen.add((bytes, total)) }
                        }
                        let response = try await transport.send(HTTPRequest(.get, server), options: options)
                        var count = 0
                        for try await portion in response.stream { count += portion.count }
                        #expect(count == size)
                        let announced = response.headers["Content-Length"].flatMap { Int($0) }
                        let all = seen.all
                        #expect(all.last?.0 == size)
                        #expect(all.allSatisfy { $0.1 == announced })
                        #expect(zip(all, all.dropFirst()).allSatisfy { $0.0 < $1.0 })
                    }
                }
            }
        }
    }

    @Test("all events are reported before the response is returned", arguments: Kind.overTLS)
    func reportsEventsBeforeItReturns(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .generated(bytes: 300_000))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<20 {
                            let seen = Recorded<Int>()
                            var options = TransportOptions { event in
                                // A handler that is slower than the transport.
                                for _ in 0..<1000 { _ = seen.all }
                                if case .received(let bytes, _) = event { seen.add(bytes) }
                            }
                            // The handlers keep the machine busy.
                            options.timeouts = .patient
                            let request = HTTPRequest(.put, server, body: .data(Data(count: 100_000)))
                            _ = try await transport.send(request, options: options)
                            #expect(seen.all.last == 300_000)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// The reader has all bytes while the last event is still being reported, and comes to the end after that.
    @Test(arguments: Kind.overTLS)
    func reportsEventsBeforeAStreamEnds(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let size = 20_000
            let gate = Gate()
            server.answer(with: .generated(bytes: size).held(by: gate, at: .responseBody))
            let isLast = Promise<Void>.pending()
            let hasEnded = Mutex(false)
            let order = Recorded<String>()
            let options = TransportOptions(delivery: .stream) { event in
                guard case .received(size, _) = event else { return }
                isLast.resolver.fulfill()
                for _ in 0..<20_000 where !hasEnded.withLock({ $0 }) { sched_yield() }
                order.add("reported")
            }
            let response = try await transport.send(HTTPRequest(.get, server), options: options)
            gate.open()
            try await isLast.promise.value
            var count = 0
            for try await portion in response.stream { count += portion.count }
            order.add("ended")
            hasEnded.withLock { $0 = true }
            #expect(count == size)
            #expect(order.all == ["reported", "ended"])
        }
    }

    @Test(arguments: Kind.all(but: .phaseMetrics))
    func measuresTheTimesOfAResponse(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            for isReused in [false, true] {
                for delivery in Self.deliveries where delivery != .stream || isReused {
                    server.enqueue(
                        Response.generated(bytes: 200_000).delayed(by: .milliseconds(60))
                            .delayed(by: .milliseconds(60), at: .responseBody))
                    let request = HTTPRequest(.post, server, body: .data(Data(count: 1000)))
                    let start = ContinuousClock.now
                    var response = try await transport.send(request, options: TransportOptions(delivery: delivery))
                    try await response.collect()
                    let elapsed = ContinuousClock.now - start
                    let metrics = response.metrics
                    #expect(metrics.reusedConnection == isReused)
                    #expect((metrics.connected == nil) == isReused)
                    #expect(metrics.secured == nil)
                    let times = [metrics.resolved, metrics.connected, metrics.requestStarted, metrics.firstByte]
                        .compactMap { $0 }
                    let finished = try #require(metrics.finished)
                    #expect(times == times.sorted())
                    #expect(try #require(metrics.firstByte) >= .milliseconds(58))
                    #expect(finished >= .milliseconds(118))
                    #expect(finished <= elapsed + .milliseconds(2))
                    #expect(metrics.bodyBytesSent == 1000)
                    #expect(metrics.bodyBytesReceived == 200_000)
                    #expect(metrics.remoteAddress == "127.0.0.1:\(server.port)")
                }
            }
        }
    }

    /// The time for which the server thinks, until it sends the head of its response, is part of the wait.
    @Test(arguments: Kind.all(but: .phaseMetrics), SentBodiesTests.Form.allCases)
    func timeUntilTheResponseIsTimeOfWaiting(_ kind: Kind, _ form: SentBodiesTests.Form) async throws {
        let files = ScratchFiles()
        try await kind.run { transport, server in
            for (size, answer) in [
                (10, Response.text("ok")), (200_000, .text("ok")), (10, .text("ok").informational(103)),
                (200_000, .text("ok").informational(102).informational(103)),
            ] {
                for delivery in Self.deliveries {
                    server.enqueue(answer.delayed(by: .milliseconds(60)))
                    let body = try form.body(generated(size), files)
                    var options = TransportOptions(delivery: delivery)
                    if delivery == .stream { options.timeouts.expectContinue = .seconds(60) }
                    var response = try await transport.send(HTTPRequest(.put, server, body: body), options: options)
                    try await response.collect()
                    let phases = response.metrics.phases
                    #expect(try #require(phases.wait) >= .milliseconds(50), "\(phases)")
                    #expect(phases.receive != nil)
                }
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func measuresFailures(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.enqueue(Response.generated(bytes: 1000).failing(.truncate, at: .responseBody))
            let error = try await failure { try await transport.send(HTTPRequest(.get, server)) }
            let metrics = try #require(error.response?.metrics)
            #expect(metrics.bodyBytesReceived == 500)
            #expect(metrics.finished != nil)
        }
    }
}
