import Foundation
import LoopbackServer
import Synchronization
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The contract of `start` for every transport, and of `send`, which builds on it.
@Suite(.timeLimit(.minutes(20))) struct TransportContractTests {
    /// The completions of one request.
    private final class Completions: Sendable {
        private let results = Recorded<Result<HTTPResponse, any Error>>()
        private let isCompleted = Gate()

        func take(_ response: @Sendable () throws -> HTTPResponse) {
            results.add(Result { try response() })
            isCompleted.open()
        }

        var all: [Result<HTTPResponse, any Error>] { results.all }

        /// Returns the only result after the transport has shut down.
        func only(after transport: any Transport) async throws -> Result<HTTPResponse, any Error> {
            try await isCompleted.opened()
            await transport.shutdown()
            #expect(results.all.count == 1)
            return try #require(results.all.first)
        }
    }

    // MARK: Every transport

    @Test(arguments: TransportUnderTest.all, [TransportOptions.Delivery.whole(), .stream])
    func aResponseCompletesOnceAndLaterCancellingHasNoEffect(
        _ kind: TransportUnderTest, _ delivery: TransportOptions.Delivery
    ) async throws {
        try await kind.run { transport, server in
            server.answer(with: .text("ok"))
            let completions = Completions()
            let done = Gate()
            let task = transport.start(
                HTTPRequest(.get, server), options: TransportOptions(delivery: delivery).timing()
            ) { response in
                completions.take(response)
                done.open()
            }
            try await done.opened()
            task.cancel()
            task.cancel()
            let response = try await completions.only(after: transport).get()
            #expect(response.status == 200)
            if !response.isStreaming { #expect(response.body == Data("ok".utf8)) }
        }
    }

    @Test(arguments: TransportUnderTest.all)
    func aCancelledRequestCompletesOnceWithACancellationError(_ kind: TransportUnderTest) async throws {
        try await kind.run { transport, server in
            let gate = Gate()
            server.answer(with: .text("late").held(by: gate))
            let completions = Completions()
            let task = transport.start(HTTPRequest(.get, server), options: TransportOptions().timing()) {
                completions.take($0)
            }
            try await gate.reached()
            task.cancel()
            task.cancel()
            let result = try await completions.only(after: transport)
            #expect(throws: CancellationError.self) { try result.get() }
            gate.open()
        }
    }

    @Test(arguments: TransportUnderTest.all)
    func aRefusedRequestCompletesWithItsErrorAndIsNotSent(_ kind: TransportUnderTest) async throws {
        try await kind.run { transport, server in
            let completions = Completions()
            let request = HTTPRequest(.head, server, body: .string("a"))
            transport.start(request, options: TransportOptions()) { completions.take($0) }.cancel()
            let result = try await completions.only(after: transport)
            let error = #expect(throws: RequestError.self) { try result.get() }
            #expect(error?.code == .unsupported)
            #expect(error?.request?.url == request.url)
            #expect(server.requests.isEmpty)
        }
    }

    @Test(arguments: TransportUnderTest.all)
    func requestsThatStartAfterAShutdownCompleteWithShutDown(_ kind: TransportUnderTest) async throws {
        try await kind.run { transport, server in
            await transport.shutdown()
            let completions = Completions()
            _ = transport.start(HTTPRequest(.get, server), options: TransportOptions()) { completions.take($0) }
            let result = try await completions.only(after: transport)
            let error = #expect(throws: RequestError.self) { try result.get() }
            #expect(error?.code == .shutDown)
        }
    }

    // MARK: Sending with async functions

    /// A transport whose requests complete as the test declares.
    private struct Scripted: Transport {
        let facts: Facts
        var whileStarting: @Sendable (@escaping TransportCompletion) -> Void = { _ in }

        var capabilities: TransportCapabilities { [] }
        func shutdown() async {}

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            facts.note("started")
            whileStarting(completion)
            return TransportTask {
                facts.note("cancelled")
                completion { throw CancellationError() }
            }
        }
    }

    private let facts = Facts()

    private func request() throws -> HTTPRequest {
        HTTPRequest(url: try #require(URL(string: "http://localhost/")))
    }

    @Test func aCompletionBeforeStartReturnsIsTheResponseOfSend() async throws {
        let transport = Scripted(facts: facts) { completion in
            completion { HTTPResponse(status: 204) }
            completion { throw RequestError(.transportFailed, phase: .wait, detail: "a second completion") }
        }
        #expect(try await transport.send(try request()).status == 204)
        #expect(facts.all == ["started"])
    }

    @Test func aCancelledTaskStartsNothing() async throws {
        let transport = Scripted(facts: facts)
        let request = try request()
        let gate = Gate()
        let task = Task {
            try? await gate.opened()
            return try await transport.send(request)
        }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(facts.all.isEmpty)
    }

    @Test func cancellingATaskCancelsItsRequest() async throws {
        let transport = Scripted(facts: facts)
        let request = try request()
        let task = Task { try await transport.send(request) }
        await facts.reached("started")
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(facts.all == ["started", "cancelled"])
    }

    @Test func aTaskThatIsCancelledWhileItsRequestStartsCancelsIt() async throws {
        let task = Mutex<Task<HTTPResponse, any Error>?>(nil)
        let transport = Scripted(facts: facts, whileStarting: { _ in task.withLock { $0 }?.cancel() })
        let request = try request()
        let gate = Gate()
        let sending = Task {
            try await gate.opened()
            return try await transport.send(request)
        }
        task.withLock { $0 = sending }
        gate.open()
        await #expect(throws: CancellationError.self) { _ = try await sending.value }
        #expect(facts.all == ["started", "cancelled"])
        task.withLock { $0 = nil }
    }

    /// A transport that sends requests with an async function.
    private struct Async: Transport {
        let operation: @Sendable () async throws -> HTTPResponse

        var capabilities: TransportCapabilities { [] }
        func shutdown() async {}

        func start(
            _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
        ) -> TransportTask {
            TransportTask(completing: completion, with: operation)
        }
    }

    @Test func anAsyncFunctionCompletesWithItsResultOrItsError() async throws {
        let request = try request()
        #expect(try await Async { HTTPResponse(status: 204) }.send(request).status == 204)
        let failing = Async { throw RequestError(.hostNotFound, phase: .connect, detail: "no network") }
        #expect(try await failure { try await failing.send(request) }.code == .hostNotFound)
    }

    @Test func cancellingACallCancelsTheAsyncFunctionThatSendsItsRequest() async throws {
        let facts = facts
        let transport = Async {
            facts.note("sending")
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                facts.note("cancelled")
                throw error
            }
            return HTTPResponse(status: 204)
        }
        let call = Fetch<Void>(.get("http://localhost/"), of: Client { $0.transport = transport }).start()
        await facts.reached("sending")
        call.cancel()
        try await within { await facts.reached("cancelled") }
        #expect(await isCancelled(call.promise))
    }
}
