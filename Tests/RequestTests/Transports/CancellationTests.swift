import Foundation
import LoopbackServer
import TangoRequest
import Testing

/// Requests that are not wanted any more.
@Suite(.timeLimit(.minutes(10))) struct CancellationTests {
    typealias Kind = TransportUnderTest

    @Test(arguments: Kind.overTLS)
    func beforeItIsSent(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for _ in 0..<100 {
                let gate = Gate()
                let task = Task {
                    try? await gate.opened()
                    return try await transport.send(HTTPRequest(.get, server))
                }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(server.requestCount == 0)
        }
    }

    @Test(arguments: Kind.overTLS)
    func whileItConnects(_ kind: Kind) async throws {
        let listener = try FullListener()
        try await kind.run { transport, server in
            for _ in 0..<20 {
                let task = Task { try await transport.send(HTTPRequest(url: listener.url)) }
                // A request to another server has been carried since, so that this one is under way.
                server.enqueue(.text("ok"))
                _ = try await transport.send(HTTPRequest(.get, server))
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    static let moments: [Fault.Moment] = [.requestHead, .requestBody, .response, .responseHead]

    @Test(arguments: Kind.overTLS(but: .lateAnswers), moments)
    func beforeTheHeadIsThere(_ kind: Kind, _ moment: Fault.Moment) async throws {
        try await kind.run { transport, server in
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                for size in [1000, 50_000_000] {
                    let gate = Gate()
                    let connection = server.connections.accepted
                    server.enqueue(Answer.text("ok").held(by: gate, at: moment))
                    let request = HTTPRequest(.put, server, body: .data(Data(count: size)))
                    let options = TransportOptions(delivery: delivery)
                    let task = Task { try await transport.send(request, options: options) }
                    try await gate.reached()
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                    // While it does not read, the server sees nothing.
                    gate.open()
                    #expect(try await server.connectionEnded(connection) != .open)
                }
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func whileAWholeBodyComes(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.enqueue(Answer.generated(bytes: 100_000).held(by: gate, at: .responseBody))
            let task = Task { try await transport.send(HTTPRequest(.get, server)) }
            try await gate.reached()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await server.connectionEnded(0) != .open)
        }
    }

    @Test(arguments: Kind.overTLS)
    func whileAStreamIsAwaited(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.enqueue(Answer.generated(bytes: 100_000).held(by: gate, at: .responseBody))
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            let task = Task {
                for try await _ in response.stream {}
            }
            try await gate.reached()
            task.cancel()
            // A loop that is cancelled may end in either way, but it ends.
            _ = await task.result
            #expect(try await server.connectionEnded(0) != .open)
            withExtendedLifetime(response) {}
        }
    }

    @Test(arguments: Kind.overTLS(but: .streamedUploads))
    func whileAStreamIsUploaded(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let isWaiting = Gate()
            let isCancelled = Gate()
            let portions = Portions { number in
                if number < 3 { return Data(count: 1000) }
                isWaiting.open()
                do { try await Task.sleep(for: .seconds(1000)) } catch { isCancelled.open() }
                return nil
            }
            let task = Task { try await transport.send(HTTPRequest(.post, server, body: .stream(portions))) }
            try await server.happened { if case .head = $0 { true } else { false } }
            try await isWaiting.opened()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await isCancelled.opened()
            #expect(try await server.connectionEnded(0) != .open)
        }
    }

    /// One after the other: each blocks a thread of which there may be as many as cores.
    @Test(
        "a body that hears that it is not wanted may use the transport", .serialized,
        arguments: Kind.overTLS(but: .streamedUploads))
    func whileAStreamThatSendsIsUploaded(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let isWaiting = Gate()
            let isHeard = Gate()
            let answers = Recorded<Bool>()
            let portions = Portions { number in
                if number == 0 { return Data(count: 1000) }
                await withTaskCancellationHandler {
                    isWaiting.open()
                    try? await Task.sleep(for: .seconds(1000))
                } onCancel: {
                    let isAnswered = DispatchSemaphore(value: 0)
                    Task {
                        _ = try? await transport.send(HTTPRequest(.get, server, "/other"))
                        isAnswered.signal()
                    }
                    answers.add(isAnswered.wait(timeout: .now() + 200) == .success)
                    isHeard.open()
                }
                return nil
            }
            let task = Task { try await transport.send(HTTPRequest(.post, server, body: .stream(portions))) }
            try await isWaiting.opened()
            // By a thread that may be held up.
            Thread.detachNewThread { task.cancel() }
            await #expect(throws: CancellationError.self) { try await task.value }
            try await isHeard.opened()
            #expect(answers.all == [true])
        }
    }

    @Test("a response that is the body of another request", arguments: Kind.overTLS(but: .streamedUploads))
    func whileAResponseIsUploaded(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for _ in 0..<20 {
                let gate = Gate()
                let isRead = Gate()
                server.enqueue(Answer.generated(bytes: 100_000).held(by: gate, at: .responseBody))
                let film = try await transport.send(HTTPRequest(.get, server), options: .stream)
                try await gate.reached()
                let body = Body.stream(
                    film.stream.map { portion in
                        isRead.open()
                        return portion
                    })
                let task = Task { try await transport.send(HTTPRequest(.post, server, body: body)) }
                try await isRead.opened()
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                gate.open()
                #expect(try await transport.send(HTTPRequest(.get, server, "/other")).status == 200)
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func afterItIsDone(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let done = Gate()
            let task = Task {
                let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
                done.open()
                return response
            }
            try await done.opened()
            task.cancel()
            var response = try await task.value
            try await response.collect()
            #expect(response.body == Data("ok".utf8))
            _ = try await transport.send(HTTPRequest(.get, server))
            #expect(server.connections.accepted == 1)
        }
    }

    @Test(arguments: Kind.overTLS)
    func whileItWaitsForItsTurn(_ kind: Kind) async throws {
        try await kind.run(.init(limit: 1)) { transport, server in
            let gate = Gate()
            server.answer("/held", with: Answer.text("ok").held(by: gate))
            server.answer("/next", with: .text("next"))
            let first = Task { try await transport.send(HTTPRequest(.get, server, "/held")) }
            try await gate.reached()
            let waiting = (0..<10).map { _ in
                Task { try await transport.send(HTTPRequest(.get, server, "/never")) }
            }
            for task in waiting { task.cancel() }
            for task in waiting {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            gate.open()
            #expect(try await first.value.status == 200)
            #expect(try await transport.send(HTTPRequest(.get, server, "/next")).status == 200)
            #expect(server.requests.map(\.path) == ["/held", "/next"])
        }
    }
}
