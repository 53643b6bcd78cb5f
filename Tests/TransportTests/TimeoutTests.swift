import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// Timeouts of requests: none ends too early, and each has its own error.
@Suite(.timeLimit(.minutes(20))) struct TimeoutTests {
    typealias Kind = TransportUnderTest

    /// A timeout that is long enough for a busy machine to respond in time.
    private static let short = Duration.seconds(1)

    /// Returns the error of `work`, which must fail after `time` but not long after a plain timer of the same run.
    private static func error(
        notBefore time: Duration = short, sourceLocation: SourceLocation = #_sourceLocation,
        _ work: () async throws -> some Any
    ) async throws -> RequestError {
        async let reference = Self.reference(time)
        let start = ContinuousClock.now
        let error = try await failure(sourceLocation: sourceLocation, work)
        let elapsed = ContinuousClock.now - start
        let longest = await reference * 3 + .seconds(10)
        #expect(elapsed <= longest, "\(error.code) too late", sourceLocation: sourceLocation)
        // The clocks differ by less than this.
        #expect(elapsed >= time - .milliseconds(2), "\(error.code) too early", sourceLocation: sourceLocation)
        return error
    }

    /// Returns the time that a plain timer takes, from a sleeping thread to a resumed task. It includes the delays of a
    /// busy machine.
    private static func reference(_ time: Duration) async -> Duration {
        let start = ContinuousClock.now
        await withUnsafeContinuation { continuation in
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: time / .seconds(1))
                continuation.resume()
            }
        }
        return ContinuousClock.now - start
    }

    /// Runs `work` with a timeout of one second, then two, four and eight seconds as long as it times out. A busy machine
    /// may need the longer ones; with a defect, all of them time out.
    private static func withEnoughTime<Result>(
        _ work: (_ time: Duration) async throws -> Result
    ) async throws -> Result {
        for seconds in [1, 2, 4] {
            do {
                return try await work(.seconds(seconds))
            } catch let error as RequestError where [.idleTimedOut, .totalTimedOut].contains(error.code) {
                continue
            }
        }
        return try await work(.seconds(8))
    }

    @Test(arguments: Kind.overTLS(but: .connectTimes))
    func connectTimeoutFailsTheRequest(_ kind: Kind) async throws {
        let listener = try FullListener()
        try await kind.run { transport, _ in
            for milliseconds in [30, 250, 1100] {
                let options = TransportOptions().timing(connect: .milliseconds(milliseconds))
                let error = try await Self.error(notBefore: .milliseconds(milliseconds)) {
                    try await transport.send(HTTPRequest(url: listener.url), options: options)
                }
                #expect(error.code == .connectTimedOut)
                #expect(error.detail.hasSuffix("or raise Timeouts.connect"))
                #expect(error.phase == .connect)
                #expect(error.isRetryable)
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func totalTimeoutCoversConnecting(_ kind: Kind) async throws {
        let listener = try FullListener()
        try await kind.run { transport, _ in
            let options = TransportOptions().timing(connect: .seconds(60), idle: .milliseconds(50), total: Self.short)
            let error = try await Self.error {
                try await transport.send(HTTPRequest(url: listener.url), options: options)
            }
            #expect(error.code == .totalTimedOut)
            #expect(error.phase == .connect)
        }
    }

    static let idleMoments: [Fault.Moment] = [
        .accept, .requestHead, .requestBody, .response, .responseHead, .responseBody,
    ]

    @Test(arguments: Kind.overTLS, idleMoments)
    func idleTimeoutFailsTheRequest(_ kind: Kind, _ moment: Fault.Moment) async throws {
        try await kind.run { transport, server in
            for size in [10, 20_000_000] {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    let answer = Response.generated(bytes: 10_000).failing(.stall, at: moment)
                    if moment == .accept { server.enqueueFault(atAccept: .stall) }
                    server.answer(with: answer)
                    let request = HTTPRequest(.post, server, body: .data(Data(count: size)))
                    let error = try await Self.withEnoughTime { time in
                        let options = TransportOptions(delivery: delivery).timing(idle: time)
                        let error = try await Self.error(notBefore: time) {
                            var response = try await transport.send(request, options: options)
                            try await response.collect()
                            return response
                        }
                        // The test of the body needs a head that arrived in time.
                        if moment == .responseBody, error.phase != .receive { throw error }
                        return error
                    }
                    #expect(error.code == .idleTimedOut, "\(moment) \(size) \(delivery)")
                    if moment == .responseBody, delivery != .stream {
                        #expect(error.response?.body == generated(5_000))
                    }
                }
            }
        }
    }

    @Test("bytes that arrive slowly restart the idle timeout", arguments: Kind.overTLS)
    func arrivingBytesRestartTheIdleTimeout(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let response = try await Self.withEnoughTime { time in
                // A header line takes longer than the timeout. The transport sees it only when it is complete.
                server.answer(
                    with: Response.text("ok").header("X-Long", String(repeating: "x", count: 50))
                        .failing(.throttle(bytes: 3, every: time / 15), at: .response))
                let options = TransportOptions().timing(idle: time)
                return try await transport.send(HTTPRequest(.get, server), options: options)
            }
            #expect(response.body == Data("ok".utf8))
        }
    }

    @Test("a pause of the reader does not count as idle time of the server", arguments: Kind.overTLS)
    func pausedReaderIsNotIdle(_ kind: Kind) async throws {
        try await kind.run(.init(buffer: 100_000)) { transport, server in
            server.answer(with: .generated(bytes: 30_000_000))
            let count = try await Self.withEnoughTime { time in
                let options = TransportOptions.stream.timing(idle: time)
                let response = try await transport.send(HTTPRequest(.get, server), options: options)
                var count = 0
                for try await portion in response.stream {
                    if count == 0 { try await Task.sleep(for: time * 2) }
                    count += portion.count
                }
                return count
            }
            #expect(count == 30_000_000)
        }
    }

    @Test("the idle timeout runs again when the reader continues", arguments: Kind.overTLS)
    func idleTimeoutRunsAfterThePauseOfAReader(_ kind: Kind) async throws {
        try await kind.run(.init(buffer: 100_000)) { transport, server in
            server.answer(with: Response.generated(bytes: 2_000_000).failing(.stall, at: .responseBody))
            try await Self.withEnoughTime { time in
                let options = TransportOptions.stream.timing(idle: time)
                let response = try await transport.send(HTTPRequest(.get, server), options: options)
                var count = 0
                let error = try await Self.error(notBefore: time * 2) {
                    for try await portion in response.stream {
                        if count == 0 { try await Task.sleep(for: time * 2) }
                        count += portion.count
                    }
                    return count
                }
                #expect(error.code == .idleTimedOut)
                #expect(count == 1_000_000)
            }
        }
    }

    @Test("a pause of the request body does not count as idle time of the server", arguments: Kind.overTLS)
    func pausedUploadIsNotIdle(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let response = try await Self.withEnoughTime { time in
                let portions = Portions { number in
                    if number == 1 { try await Task.sleep(for: time * 2) }
                    return number < 2 ? Data("part".utf8) : nil
                }
                let request = HTTPRequest(.post, server, body: .stream(portions))
                return try await transport.send(request, options: TransportOptions().timing(idle: time))
            }
            #expect(response.status == 200)
            #expect(server.requests.last?.text == "partpart")
        }
    }

    @Test("the idle timeout runs again when the request body continues", arguments: Kind.overTLS)
    func idleTimeoutRunsAfterThePauseOfAnUpload(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Response.text("ok").failing(.stall, at: .response))
            let portions = Portions { number in
                if number == 1 { try await Task.sleep(for: Self.short * 2) }
                return number < 2 ? Data("part".utf8) : nil
            }
            let request = HTTPRequest(.post, server, body: .stream(portions))
            let options = TransportOptions().timing(idle: Self.short)
            let error = try await Self.error { try await transport.send(request, options: options) }
            #expect(error.code == .idleTimedOut)
        }
    }

    @Test(arguments: Kind.overTLS, [RequestError.Code.totalTimedOut, .attemptTimedOut])
    func limitsOfTheWholeFailTheRequest(_ kind: Kind, _ code: RequestError.Code) async throws {
        try await kind.run { transport, server in
            let slow = Response.generated(bytes: 10_000_000).throttled(bytes: 10, every: .milliseconds(20))
            for answer in [Response.text("ok").failing(.stall, at: .response), slow] {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    server.answer(with: answer)
                    let (attempt, total) = code == .totalTimedOut ? (nil, Self.short) : (Self.short, nil)
                    let options = TransportOptions(delivery: delivery)
                        .timing(idle: .seconds(60), attempt: attempt, total: total)
                    let error = try await Self.error {
                        var response = try await transport.send(HTTPRequest(.get, server), options: options)
                        try await response.collect()
                        return response
                    }
                    #expect(error.code == code)
                    #expect(error.isRetryable == (code == .attemptTimedOut))
                }
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func totalTimeoutCoversTheQueue(_ kind: Kind) async throws {
        try await kind.run(.init(limit: 1)) { transport, server in
            let gate = Gate()
            server.answer("/held", with: Response.text("ok").held(by: gate))
            let first = Task { try await transport.send(HTTPRequest(.get, server, "/held")) }
            try await gate.reached()
            let options = TransportOptions().timing(total: Self.short)
            let error = try await Self.error {
                try await transport.send(HTTPRequest(.get, server, "/never"), options: options)
            }
            #expect(error.code == .totalTimedOut)
            gate.open()
            #expect(try await first.value.status == 200)
            #expect(server.requests.map(\.path) == ["/held"])
        }
    }

    @Test("the total timeout includes the time before the body is read", arguments: Kind.overTLS(but: .backPressure))
    func totalTimeoutCoversThePausesOfAReader(_ kind: Kind) async throws {
        try await kind.run(.init(buffer: 100_000)) { transport, server in
            server.answer(with: .generated(bytes: 30_000_000))
            try await Self.withEnoughTime { time in
                let options = TransportOptions.stream.timing(total: time)
                let response = try await transport.send(HTTPRequest(.get, server), options: options)
                try await Task.sleep(for: time * 2)
                let error = try await failure { for try await _ in response.stream {} }
                #expect(error.code == .totalTimedOut)
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func timeoutOfOneNanosecondFails(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Response.text("ok").failing(.stall, at: .response))
            let options = TransportOptions().timing(total: .nanoseconds(1))
            let error = try await Self.error(notBefore: .zero) {
                try await transport.send(HTTPRequest(.get, server), options: options)
            }
            #expect(error.code == .totalTimedOut)
        }
    }

    @Test(arguments: Kind.all)
    func totalTimeOfACallCoversRetries(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.enqueue(.status(503), .status(503))
            let third = Gate()
            defer { third.open() }
            server.answer(with: .text("ok").held(by: third))
            let clock = ManualClock()
            let client = Client(baseURL: server.url) {
                $0.transport = transport
                $0.clock = clock
                $0.retryPolicy = .custom { _ in .zero }
                $0.timeouts = Timeouts(connect: nil, idle: nil, total: .seconds(10))
            }
            let call = Fetch<Data>(.get("/a"), of: client).start()
            try await third.reached()
            clock.advance(by: .seconds(10))
            let error = await #expect(throws: RequestError.self) { try await call.value }
            #expect(error?.code == .totalTimedOut)
        }
    }

    static let noTime = [Duration.zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min)]

    @Test(arguments: Kind.overTLS, noTime)
    func timeoutsOfZeroOrLessSendNothing(_ kind: Kind, _ duration: Duration) async throws {
        let rows: [(Timeouts, RequestError.Code, String)] = [
            (Timeouts(connect: duration), .connectTimedOut, "Timeouts.connect"),
            (Timeouts(idle: duration), .idleTimedOut, "Timeouts.idle"),
            (Timeouts(attempt: duration), .attemptTimedOut, "Timeouts.attempt"),
            (Timeouts(total: duration), .totalTimedOut, "Timeouts.total"),
            (Timeouts(connect: duration, idle: duration, total: duration), .totalTimedOut, "Timeouts.total"),
        ]
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for (timeouts, code, name) in rows {
                for body in [Body.none, .string("body")] {
                    let error = try await failure {
                        try await transport.send(
                            HTTPRequest(.put, server, body: body), options: TransportOptions(timeouts: timeouts))
                    }
                    #expect(error.code == code)
                    #expect(error.phase == .prepare)
                    #expect(error.detail.contains(name))
                }
            }
            #expect(server.connections.accepted == 0)
        }
    }

    @Test(arguments: noTime)
    func callsWithTimeoutsOfZeroOrLessSendNothing(_ duration: Duration) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let rows: [(Timeouts, RequestError.Code)] = [
            (Timeouts(connect: duration), .connectTimedOut), (Timeouts(idle: duration), .idleTimedOut),
            (Timeouts(attempt: duration), .attemptTimedOut), (Timeouts(total: duration), .totalTimedOut),
        ]
        for (timeouts, code) in rows {
            let client = Client(baseURL: server.url) { $0.timeouts = timeouts }
            let error = try await failure { try await Fetch<Data>(.get("/a"), of: client).promise.value }
            #expect(error.code == code)
            #expect(error.phase == .prepare)
        }
        #expect(server.connections.accepted == 0)
    }

    @Test(arguments: Kind.overTLS)
    func veryLongTimeoutsSucceed(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for duration in [Duration.seconds(1 << 40), .seconds(Int64.max), .milliseconds(Int64.max / 1000), nil] {
                let options = TransportOptions().timing(connect: duration, idle: duration, total: duration)
                let response = try await transport.send(HTTPRequest(.get, server), options: options)
                #expect(response.status == 200)
            }
        }
    }
}
