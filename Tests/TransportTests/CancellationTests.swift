import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Cancellation of requests.
@Suite(.timeLimit(.minutes(20))) struct CancellationTests {
    typealias Kind = TransportUnderTest

    @Test(arguments: Kind.overTLS)
    func cancelledTaskSendsNothing(_ kind: Kind) async throws {
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
    func cancellingWhileConnectingEndsTheRequest(_ kind: Kind) async throws {
        let listener = try FullListener()
        try await kind.run { transport, server in
            for _ in 0..<20 {
                let task = Task { try await transport.send(HTTPRequest(url: listener.url)) }
                // A request to another server has finished since, so the first request is in flight.
                server.enqueue(.text("ok"))
                _ = try await transport.send(HTTPRequest(.get, server))
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }

    static let moments: [Fault.Moment] = [.requestHead, .requestBody, .response, .responseHead]

    @Test(arguments: Kind.overTLS(but: .lateResponses), moments)
    func cancellingBeforeTheHeadClosesTheConnection(_ kind: Kind, _ moment: Fault.Moment) async throws {
        try await kind.run { transport, server in
            for delivery in [TransportOptions.Delivery.whole(), .stream] {
                for size in [1000, 50_000_000] {
                    let gate = Gate()
                    let connection = server.connections.accepted
                    server.enqueue(Response.text("ok").held(by: gate, at: moment))
                    let request = HTTPRequest(.put, server, body: .data(Data(count: size)))
                    let options = TransportOptions(delivery: delivery)
                    let task = Task { try await transport.send(request, options: options) }
                    try await gate.reached()
                    task.cancel()
                    await #expect(throws: CancellationError.self) { try await task.value }
                    // The server notices the end of the connection only when it reads.
                    gate.open()
                    #expect(try await server.connectionEnded(connection) != .open)
                }
            }
        }
    }

    @Test(arguments: Kind.overTLS)
    func cancellingDuringAWholeBodyClosesTheConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.enqueue(Response.generated(bytes: 100_000).held(by: gate, at: .responseBody))
            let task = Task { try await transport.send(HTTPRequest(.get, server)) }
            try await gate.reached()
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await server.connectionEnded(0) != .open)
        }
    }

    @Test(arguments: Kind.overTLS)
    func cancellingAReaderClosesTheConnection(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.enqueue(Response.generated(bytes: 100_000).held(by: gate, at: .responseBody))
            let response = try await transport.send(HTTPRequest(.get, server), options: .stream)
            let task = Task {
                for try await _ in response.stream {}
            }
            try await gate.reached()
            task.cancel()
            // A cancelled loop may end with or without an error.
            _ = await task.result
            #expect(try await server.connectionEnded(0) != .open)
            withExtendedLifetime(response) {}
        }
    }

    @Test(arguments: Kind.overTLS(but: .streamedUploads))
    func cancellingAnUploadClosesTheConnection(_ kind: Kind) async throws {
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

    /// The cases run one after the other. Each blocks a thread, and there may be as few threads as cores.
    @Test(
        "a cancelled body stream may send requests with the same transport", .serialized,
        arguments: Kind.overTLS(but: .streamedUploads))
    func cancelledStreamMaySendRequests(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let isWaiting = Gate()
            let isHandled = Gate()
            let results = Recorded<Bool>()
            let portions = Portions { number in
                if number == 0 { return Data(count: 1000) }
                await withTaskCancellationHandler {
                    isWaiting.open()
                    try? await Task.sleep(for: .seconds(1000))
                } onCancel: {
                    let hasResponse = DispatchSemaphore(value: 0)
                    Task {
                        _ = try? await transport.send(HTTPRequest(.get, server, "/other"))
                        hasResponse.signal()
                    }
                    results.add(hasResponse.wait(timeout: .now() + 200) == .success)
                    isHandled.open()
                }
                return nil
            }
            let task = Task { try await transport.send(HTTPRequest(.post, server, body: .stream(portions))) }
            try await isWaiting.opened()
            // `cancel` blocks, so it runs on a thread of its own.
            Thread.detachNewThread { task.cancel() }
            await #expect(throws: CancellationError.self) { try await task.value }
            try await isHandled.opened()
            #expect(results.all == [true])
        }
    }

    @Test("an upload of another response can be cancelled", arguments: Kind.overTLS(but: .streamedUploads))
    func uploadOfAResponseCanBeCancelled(_ kind: Kind) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            for _ in 0..<20 {
                let gate = Gate()
                let isRead = Gate()
                server.enqueue(Response.generated(bytes: 100_000).held(by: gate, at: .responseBody))
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
    func cancellingAfterTheEndHasNoEffect(_ kind: Kind) async throws {
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
    func cancellingInTheQueueSendsNothing(_ kind: Kind) async throws {
        try await kind.run(.init(limit: 1)) { transport, server in
            let gate = Gate()
            server.answer("/held", with: Response.text("ok").held(by: gate))
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
