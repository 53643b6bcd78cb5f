import Foundation
import LoopbackServer
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Calls with streamed bodies, which end with the body.
@Suite(.timeLimit(.minutes(20)))
struct StreamedCallTests {
    private let site: Site
    private let facts = Facts()
    private let gate = Gate()
    private let size = 1_000_000

    init() throws {
        site = try Site()
        site.server.answer("/a", with: .generated(bytes: size).held(by: gate, at: .responseBody))
    }

    private func open(_ client: Client) async throws -> HTTPResponse {
        try await client.send(HTTPRequest(url: site.server.url("/a")), delivery: .stream)
    }

    private func read(_ response: HTTPResponse) async throws -> Int {
        var count = 0
        for try await portion in response.stream { count += portion.count }
        return count
    }

    @Test(arguments: [true, false])
    func theCallRunsUntilItsBodyHasEnded(isObserved: Bool) async throws {
        let client = site.client(observers: isObserved ? [facts.observer()] : [])
        let response = try await open(client)
        let call = try #require(client.calls.first)
        #expect(client.activeCalls == 1)
        #expect(call.state == .running)
        #expect(call.response?.status == 200)
        #expect(call.response?.isStreaming == false)
        #expect(call.attempts.first?.response?.status == 200)
        #expect(call.attempts.first?.ended == nil)
        #expect(!facts.all.contains("finished success"))
        gate.open()
        #expect(try await read(response) == size)
        #expect(call.state == .finished(.success))
        while !client.calls.isEmpty { await Task.yield() }
        #expect(call.attempts.first?.ended != nil)
        #expect(call.attempts.first?.bytesReceived == size)
        #expect(call.metrics?.bodyBytesReceived == size)
        await client.shutdown()
        if isObserved { #expect(facts.all == ["willStart", "sending", "response 200", "finished success"]) }
    }

    @Test func totalTimeoutIncludesTheBody() async throws {
        let clock = ManualClock()
        let client = site.client(
            timeouts: Timeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(10)),
            observers: [facts.observer()], clock: clock)
        let response = try await open(client)
        clock.advance(by: .seconds(10))
        let error = await refusal { _ = try await read(response) }
        #expect(error?.code == .totalTimedOut)
        #expect(error?.phase == .receive)
        while !client.calls.isEmpty { await Task.yield() }
        await client.shutdown()
        #expect(facts.all.last == "finished failure")
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    @Test func deadlineEndsWithTheBody() async throws {
        let clock = ManualClock()
        let client = site.client(
            timeouts: Timeouts(connect: .seconds(600), idle: .seconds(600), total: .seconds(10)), clock: clock)
        let response = try await open(client)
        let call = try #require(client.calls.first)
        gate.open()
        #expect(try await read(response) == size)
        clock.advance(by: .seconds(10))
        #expect(call.state == .finished(.success))
    }

    enum Ending: CaseIterable, Sendable { case cancelled, cancelledAll, shutDown }

    @Test(arguments: Ending.allCases)
    func endingTheCallEndsTheBody(_ ending: Ending) async throws {
        let client = site.client(observers: [facts.observer()])
        let response = try await open(client)
        let call = try #require(client.calls.first)
        switch ending {
        case .cancelled: call.cancel()
        case .cancelledAll: client.cancelAll()
        case .shutDown: await client.shutdown()
        }
        #expect(call.isFinished)
        do {
            _ = try await read(response)
            Issue.record("the body did not fail")
        } catch {
            #expect(ending == .shutDown ? (error as? RequestError)?.code == .shutDown : error is CancellationError)
        }
        await client.shutdown()
        #expect(facts.all.last == (ending == .shutDown ? "finished failure" : "finished cancelled"))
        let connection = try #require(site.server.requests.first).connection
        _ = try await site.server.connectionEnded(connection)
    }

    @Test func releasingAnUnreadBodyCancelsTheCall() async throws {
        let client = site.client(timeouts: .none, observers: [facts.observer()])
        _ = try await open(client)
        await facts.reached("finished cancelled")
        while !client.calls.isEmpty { await Task.yield() }
    }

    @Test func aReaderThatLeavesCancelsTheCall() async throws {
        let client = site.client(timeouts: .none, observers: [facts.observer()])
        let response = try await open(client)
        for try await _ in response.stream { break }
        await facts.reached("finished cancelled")
        #expect(client.calls.isEmpty)
    }

    @Test func errorInTheBodyFailsTheCall() async throws {
        site.server.answer("/b", with: .generated(bytes: size).failing(.reset, at: .responseBody))
        let client = site.client(observers: [facts.observer()])
        let response = try await client.send(HTTPRequest(url: site.server.url("/b")), delivery: .stream)
        let call = try #require(client.calls.first)
        let error = await refusal { _ = try await read(response) }
        #expect(error != nil)
        #expect(call.state == .finished(.failure))
        #expect((call.attempts.first?.error as? RequestError)?.code == error?.code)
        #expect(call.attempts.first?.ended != nil)
        await client.shutdown()
        #expect(facts.all.last == "finished failure")
    }

    @Test func progressContinuesToTheEndOfTheBody() async throws {
        let client = site.client()
        let response = try await open(client)
        let call = try #require(client.calls.first)
        let progress = call.progress
        gate.open()
        #expect(try await read(response) == size)
        var last: CallProgress?
        for await value in progress { last = value }
        #expect(last?.received == size)
        #expect(last?.receivedTotal == size)
    }

    @Test func callWithACompleteBodyEndsAtOnce() async throws {
        struct Canned: Interceptor {
            func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
                HTTPResponse(status: 200, body: Data("a".utf8), request: request)
            }
        }
        let client = site.client(interceptors: [Canned()])
        let response = try await open(client)
        #expect(client.calls.isEmpty)
        #expect(response.body == Data("a".utf8))
    }
}
