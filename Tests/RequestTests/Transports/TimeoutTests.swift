import Foundation
import LoopbackServer
import TangoRequest
import Testing

/// Requests that take too long: never ended too early, and always with the right error.
@Suite(.timeLimit(.minutes(10))) struct TimeoutTests {
    typealias Kind = TransportUnderTest

    /// Long enough for a machine that does much else meanwhile to answer in time.
    private static let short = Duration.seconds(1)

    /// The error that something ends with, not before a time, and not long after a plain timer of the same run.
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
        // Clocks of the parts may differ by less than this.
        #expect(elapsed >= time - .milliseconds(2), "\(error.code) too early", sourceLocation: sourceLocation)
        return error
    }

    /// How long a plain timer takes, from a thread that sleeps to a task that is resumed: what a busy machine adds to the
    /// time, it adds to this as well.
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

    /// Works with a time of one second, and once more with two, four and eight while the time is over too early. That
    /// happens on a busy machine; a defect makes each of them too short.
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
    func connecting(_ kind: Kind) async throws {
        let listener = try FullListener()
        try await kind.run { transport, _ in
            for milliseconds in [30, 250, 1100] {
                let options = TransportOptions().timing(connect: .milliseconds(milliseconds))
                let error = try await Self.error(notBefore: .milliseconds(milliseconds)) {
                    try await transport.send(HTTPRequest(url: listener.url), options: options)
                }
                #expect(error.code == .connectTimedOut)
                #expect(error.phase == .connect)
                #expect(error.isRetryable)
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func connectingUntilTheTotalIsOver(_ kind: Kind) async throws {
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
    func idle(_ kind: Kind, _ moment: Fault.Moment) async throws {
        try await kind.run { transport, server in
            for size in [10, 20_000_000] {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    let answer = Answer.generated(bytes: 10_000).failing(.stall, at: moment)
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
                        // The body is late only after the head has arrived in time.
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

    @Test("bytes that trickle in keep a request alive", arguments: Kind.overTLS)
    func notIdle(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let response = try await Self.withEnoughTime { time in
                // A line of the head takes longer than the timeout. The transport sees it whole, when it has ended.
                server.answer(
                    with: Answer.text("ok").header("X-Long", String(repeating: "x", count: 50))
                        .failing(.throttle(bytes: 3, every: time / 15), at: .response))
                let options = TransportOptions().timing(idle: time)
                return try await transport.send(HTTPRequest(.get, server), options: options)
            }
            #expect(response.body == Data("ok".utf8))
        }
    }

    @Test("a reader that pauses is not a server that does", arguments: Kind.overTLS)
    func notWhileTheReaderPauses(_ kind: Kind) async throws {
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

    @Test("the server is timed again when the reader goes on", arguments: Kind.overTLS)
    func afterTheReaderPaused(_ kind: Kind) async throws {
        try await kind.run(.init(buffer: 100_000)) { transport, server in
            server.answer(with: Answer.generated(bytes: 2_000_000).failing(.stall, at: .responseBody))
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

    @Test("a body that pauses is not a server that does", arguments: Kind.overTLS)
    func notWhileTheUploadPauses(_ kind: Kind) async throws {
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

    @Test("the server is timed again when the body goes on", arguments: Kind.overTLS)
    func afterTheUploadPaused(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Answer.text("ok").failing(.stall, at: .response))
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

    @Test(arguments: Kind.overTLS)
    func total(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let slow = Answer.generated(bytes: 10_000_000).throttled(bytes: 10, every: .milliseconds(20))
            for answer in [Answer.text("ok").failing(.stall, at: .response), slow] {
                for delivery in [TransportOptions.Delivery.whole(), .stream] {
                    server.answer(with: answer)
                    let options = TransportOptions(delivery: delivery).timing(idle: .seconds(60), total: Self.short)
                    let error = try await Self.error {
                        var response = try await transport.send(HTTPRequest(.get, server), options: options)
                        try await response.collect()
                        return response
                    }
                    #expect(error.code == .totalTimedOut)
                    #expect(!error.isRetryable)
                }
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func totalWhileItWaitsForItsTurn(_ kind: Kind) async throws {
        try await kind.run(.init(limit: 1)) { transport, server in
            let gate = Gate()
            server.answer("/held", with: Answer.text("ok").held(by: gate))
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

    @Test("time that is spent before the reader comes counts in the total", arguments: Kind.overTLS(but: .backPressure))
    func totalWhileTheReaderPauses(_ kind: Kind) async throws {
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
    func noTimeAtAll(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: Answer.text("ok").failing(.stall, at: .response))
            let options = TransportOptions().timing(total: .nanoseconds(1))
            let error = try await Self.error(notBefore: .zero) {
                try await transport.send(HTTPRequest(.get, server), options: options)
            }
            #expect(error.code == .totalTimedOut)
        }
    }

    static let noTime = [Duration.zero, .nanoseconds(-1), .seconds(-1), .seconds(Int64.min)]

    @Test(arguments: Kind.overTLS, noTime)
    func timeoutsOfZeroOrLessSendNothing(_ kind: Kind, _ duration: Duration) async throws {
        let rows: [(Timeouts, RequestError.Code, String)] = [
            (Timeouts(connect: duration), .connectTimedOut, "Timeouts.connect"),
            (Timeouts(idle: duration), .idleTimedOut, "Timeouts.idle"),
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
    func callsWithoutTimeFailAndSendNothing(_ duration: Duration) async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        let rows: [(Timeouts, RequestError.Code)] = [
            (Timeouts(connect: duration), .connectTimedOut), (Timeouts(idle: duration), .idleTimedOut),
            (Timeouts(total: duration), .totalTimedOut),
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
    func endlessTime(_ kind: Kind) async throws {
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
