import Foundation
import LoopbackServer
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Calls of a device that loses its network and gets it again.
@Suite(.timeLimit(.minutes(20)))
struct ConnectivityTests {
    @Test func callWaitsForANetwork() async throws {
        let site = try RemoteSite(.unavailable)
        let events = Facts()
        let client = site.client {
            $0.observe { event in
                if case .waiting(let wait) = event.kind { events.note("\(wait)") }
            }
        }
        let call = site.text(client).start()
        await call.waitsForNetwork()
        #expect("\(call.state)" == "waiting for connectivity")
        #expect(site.sent == 0)
        site.clock.advance(by: .seconds(12))
        #expect(call.explanation?.waitForConnectivity == .seconds(12))
        site.network.status = .available
        #expect(try await call.value == "a")
        #expect(call.attempts.map(\.cause) == [.first])
        #expect(call.explanation?.description == "waited 12 s for a network")
        #expect(events.all == ["connectivity"])
        #expect(site.network.observerCount == 0)
    }

    @Test(arguments: [ConnectivityStatus.available, .unknown])
    func callIsSentAtOnceWithANetwork(_ status: ConnectivityStatus) async throws {
        let site = try RemoteSite(status)
        let call = site.text(site.client()).start()
        #expect(try await call.value == "a")
        #expect(call.explanation == nil)
        #expect(site.network.observerCount == 0)
    }

    @Test(
        arguments: [
            (nil, ConnectivityStatus.unavailable, true), (.seconds(30), .available, true),
            (.seconds(30), .unknown, true),
            (.seconds(30), .unavailable, false), (.zero, .available, false),
        ] as [(Duration?, ConnectivityStatus, Bool)])
    func requestThatNeedNotWaitIsSentDirectly(
        _ limit: Duration?, _ status: ConnectivityStatus, _ isDirect: Bool
    ) throws {
        let site = try RemoteSite(status)
        let client = site.client { $0.waitsForConnectivity = limit }
        let plan = Plan(site.text(client)).common
        let shortcut = client.pipeline.shortcut(for: try plan.message(), of: plan)
        if case .direct = shortcut { #expect(isDirect) } else { #expect(!isDirect) }
    }

    @Test func callFailsAfterTheLimit() async throws {
        let site = try RemoteSite(.unavailable)
        let call = site.text(site.client { $0.retryPolicy = .exponential(base: .zero) }).start()
        await call.waitsForNetwork()
        site.clock.advance(by: .seconds(30))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .offline)
        #expect(error.isRetryable)
        #expect(
            error.detail == "the device had no network for 30 s, the limit of waitsForConnectivity: connect it "
                + "to one, or raise the limit")
        #expect(call.explanation?.waitForConnectivity == .seconds(30))
        #expect(site.sent == 0)
        #expect(site.network.observerCount == 0)
    }

    @Test func limitCountsAllWaitsOfACall() async throws {
        let site = try RemoteSite(.unavailable)
        let call = site.text(site.client()).start()
        await call.waitsForNetwork()
        site.clock.advance(by: .seconds(20))
        // The network comes back, and is lost again before the request is sent.
        site.onSend { site.network.status = .unavailable }
        site.fail(.cannotConnect)
        site.network.status = .available
        while site.sent == 0 { await Task.yield() }
        await call.waitsForNetwork()
        site.clock.advance(by: .seconds(9))
        #expect(call.state == .waitingForConnectivity)
        #expect(call.explanation?.waitForConnectivity == .seconds(29))
        site.clock.advance(by: .seconds(1))
        let error = try #require(await refusal(of: call.promise))
        #expect(error.code == .offline)
        #expect((error.underlying as? RequestError)?.code == .cannotConnect)
    }

    @Test(arguments: [HTTPMethod.get, .post])
    func requestThatFoundNoNetworkIsSentAgain(_ method: HTTPMethod) async throws {
        let site = try RemoteSite()
        site.onSend { if site.sent == 1 { site.network.status = .unavailable } }
        site.fail(.hostNotFound)
        let call = Fetch<String>(Endpoint(method: method, path: "/a"), of: site.client { $0.retryPolicy = .never })
            .start()
        await call.waitsForNetwork()
        site.network.status = .available
        #expect(try await call.value == "a")
        #expect(call.attempts.map(\.cause) == [.first, .connectivity])
        #expect(call.attempts.map(\.retry?.reason) == [nil, nil])
    }

    /// The error of the transport came before the status of the system, or is about one route.
    @Test func offlineErrorWithANetworkIsTriedOnceMoreAndThenWaits() async throws {
        let site = try RemoteSite()
        site.fail(.offline, .offline)
        let call = site.text(site.client()).start()
        await call.waitsForNetwork()
        #expect(site.sent == 2)
        site.network.status = .unavailable
        site.network.status = .available
        #expect(try await call.value == "a")
        #expect(site.sent == 3)
    }

    @Test func changeDuringTheAttemptEndsTheWait() async throws {
        let site = try RemoteSite()
        site.onSend {
            guard site.sent == 2 else { return }
            site.network.status = .unavailable
            site.network.status = .available
        }
        site.fail(.offline, .offline)
        #expect(try await site.text(site.client()).start().value == "a")
        #expect(site.sent == 3)
    }

    @Test(arguments: [RequestError.Phase.send, .wait])
    func requestThatMayHaveBeenSentIsNotSentAgain(_ phase: RequestError.Phase) async throws {
        let site = try RemoteSite()
        site.fail(.offline, in: phase)
        let error = try #require(await refusal(of: site.text(site.client()).promise))
        #expect(error.code == .offline)
        #expect(site.sent == 1)
    }

    @Test(arguments: [(RequestError.Code.hostNotFound, true), (.cannotConnect, true), (.connectionLost, false)])
    func failureWithoutANetworkIsOffline(_ code: RequestError.Code, _ isOffline: Bool) async throws {
        let site = try RemoteSite(.unavailable)
        let client = site.client {
            $0.waitsForConnectivity = nil
            $0.retryPolicy = .never
        }
        site.fail(code)
        let error = try #require(await refusal(of: site.text(client).promise))
        #expect(error.code == (isOffline ? .offline : code))
        #expect(error.phase == .connect)
        guard isOffline else { return }
        #expect((error.underlying as? RequestError)?.code == code)
        #expect(
            error.detail
                == "the device has no network: connect it to one, or let requests wait with waitsForConnectivity")
        #expect(error.message(in: .english) == "You are offline. Check your internet connection.")
        site.network.status = .available
        site.fail(code)
        #expect(await refusal(of: site.text(client).promise)?.code == code)
    }

    @Test(arguments: ["http://127.0.0.1", "http://localhost"])
    func thisDeviceIsNeverWaitedFor(_ host: String) async throws {
        let site = try RemoteSite(.unavailable)
        var configuration = Client.Configuration()
        site.configure(&configuration) { $0.retryPolicy = .never }
        let client = Client(baseURL: URL(string: "\(host):\(site.server.port)"), configuration: configuration)
        #expect(try await site.text(client).promise.value == "a")
        site.fail(.cannotConnect)
        #expect(await refusal(of: site.text(client).promise)?.code == .cannotConnect)
    }

    /// The network is back before its routes and name servers are complete.
    @Test func attemptAfterAWaitThatFailsIsTriedOnceMore() async throws {
        let site = try RemoteSite(.unavailable)
        let call = site.text(site.client()).start()
        await call.waitsForNetwork()
        site.fail(.offline)
        site.network.status = .available
        #expect(try await call.value == "a")
        #expect(call.attempts.map(\.cause) == [.first, .connectivity])
    }

    @Test func bodyThatCanBeReadOnceIsNotSentAgain() async throws {
        let site = try RemoteSite(.unavailable)
        site.server.answer("/upload", with: .text("uploaded"))
        let body = Body.stream(AsyncStream<Data> { $0.finish() })
        let call = Fetch<String>(.post("/upload", body: body), of: site.client()).start()
        await call.waitsForNetwork()
        site.fail(.offline)
        site.network.status = .available
        #expect(await refusal(of: call.promise)?.code == .offline)
        #expect(site.sent == 1)
    }

    #if os(Linux)
        @Test func unixSocketIsNeverWaitedFor() async throws {
            let path = NSTemporaryDirectory() + "tango-\(UUID().uuidString)"
            let server = try LoopbackServer(unixSocket: path)
            defer { server.stop() }
            server.answer("/a", with: .text("local"))
            let site = try RemoteSite(.unavailable)
            let client = site.client { $0.transport = CurlTransport(CurlConfiguration(unixSocket: path)) }
            #expect(try await site.text(client).promise.value == "local")
        }
    #endif

    @Test func cancelEndsTheWait() async throws {
        let site = try RemoteSite(.unavailable)
        let call = site.text(site.client()).start()
        await call.waitsForNetwork()
        call.cancel()
        await #expect(throws: CancellationError.self) { try await call.value }
        while site.network.observerCount > 0 { await Task.yield() }
        site.network.status = .available
        #expect(site.sent == 0)
    }

    @Test func totalTimeIncludesTheWait() async throws {
        let site = try RemoteSite(.unavailable)
        let call = site.text(site.client { $0.timeouts.total = .seconds(10) }).start()
        await call.waitsForNetwork()
        site.clock.advance(by: .seconds(10))
        #expect(await refusal(of: call.promise)?.code == .totalTimedOut)
        #expect(call.explanation?.waitForConnectivity == .seconds(10))
        while site.network.observerCount > 0 { await Task.yield() }
        #expect(site.sent == 0)
    }

    @Test func shutdownEndsTheWait() async throws {
        let site = try RemoteSite(.unavailable)
        let client = site.client()
        let call = site.text(client).start()
        await call.waitsForNetwork()
        await client.shutdown()
        #expect(await refusal(of: call.promise)?.code == .shutDown)
    }

    @Test func waitHoldsNoSlot() async throws {
        let site = try RemoteSite(.unavailable)
        let limiter = Limiter(total: 1)
        let call = site.text(site.client { $0.limiter = limiter }).start()
        await call.waitsForNetwork()
        #expect(limiter.running == 0)
        #expect(limiter.waiting == 0)
        site.network.status = .available
        #expect(try await call.value == "a")
    }

    @Test func allCallsThatWaitAreSentOnce() async throws {
        let site = try RemoteSite(.unavailable)
        let client = site.client()
        // Fewer than the connections of the transport, which other tests share: their connections stay open.
        let calls = (0..<200).map { _ in site.text(client).start() }
        while site.network.observerCount < calls.count { await Task.yield() }
        for call in calls { await call.waitsForNetwork() }
        site.network.status = .available
        for call in calls { #expect(try await call.value == "a") }
        #expect(site.server.requests.count == calls.count)
        #expect(site.network.observerCount == 0)
    }

    @Test func callsThatShareATransferWaitTogether() async throws {
        let site = try RemoteSite(.unavailable)
        let client = site.client { $0.uniqueness = .join }
        let calls = (0..<3).map { _ in site.text(client).start() }
        for call in calls { await call.waitsForNetwork() }
        #expect(site.network.observerCount == 1)
        site.clock.advance(by: .seconds(5))
        #expect(calls.map { $0.explanation?.waitForConnectivity } == [.seconds(5), .seconds(5), .seconds(5)])
        site.network.status = .available
        for call in calls { #expect(try await call.value == "a") }
        #expect(calls.map { $0.explanation?.waitForConnectivity } == [.seconds(5), .seconds(5), .seconds(5)])
        #expect(site.sent == 1)
    }

    @Test func callThatJoinsATransferWaitsLikeIt() async throws {
        let site = try RemoteSite(.unavailable)
        let client = site.client { $0.uniqueness = .join }
        let first = site.text(client).start()
        await first.waitsForNetwork()
        let late = site.text(client).start()
        #expect(late.state == .waitingForConnectivity)
        site.network.status = .available
        #expect(try await [first.value, late.value] == ["a", "a"])
        #expect(site.sent == 1)
    }

    @Test func requestOverridesItsClient() async throws {
        final class Impatient: Fetch<String> {
            override var waitsForConnectivity: Duration? { nil }
        }
        let site = try RemoteSite(.unavailable)
        let client = site.client { $0.uniqueness = .join }
        let waiting = site.text(client).start()
        await waiting.waitsForNetwork()
        #expect(try await Impatient(.get("/a"), of: client).promise.value == "a")
        #expect(waiting.state == .waitingForConnectivity)
        waiting.cancel()
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func limitOfZeroIsAnError(_ limit: Duration) async throws {
        let site = try RemoteSite()
        let client = site.client { $0.waitsForConnectivity = limit }
        let error = try #require(await refusal(of: site.text(client).promise))
        #expect(error.code == .badPolicy)
        #expect(error.detail.hasPrefix("waitsForConnectivity is \(limit.text): "))
        #expect(site.sent == 0)
    }

    @Test func hugeLimitIsNoError() async throws {
        let site = try RemoteSite(.unavailable)
        let call = site.text(site.client { $0.waitsForConnectivity = .seconds(Int64.max) }).start()
        await call.waitsForNetwork()
        site.network.status = .unknown
        #expect(try await call.value == "a")
    }
}
