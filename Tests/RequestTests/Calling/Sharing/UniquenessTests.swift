import Foundation
import LoopbackServer
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// Calls that exclude each other while they are in flight.
@Suite(.timeLimit(.minutes(20))) struct UniquenessTests {
    let site: Site
    let gate = Gate()

    init() throws {
        site = try Site()
        site.server.answer("/*", with: .text("a").held(by: gate))
    }

    private func fetch(_ path: String, _ kind: Uniqueness, of client: Client, name: String? = nil) -> Fetch<String> {
        let request = Fetch<String>(.post(path, body: .string("b")), of: client)
        request.kind = kind
        request.name = name
        return request
    }

    @Test(arguments: [nil, "save"])
    func rejectFailsTheNewCall(name: String?) async throws {
        let heard = Facts()
        let client = site.client(observers: [heard.observer()])
        let first = fetch("/a", .reject, of: client, name: name).start()
        try await gate.reached()
        let second = fetch(name == nil ? "/a" : "/b", .reject, of: client, name: name).start()
        let error = await refusal(of: second.promise)
        #expect(error?.code == .duplicate)
        #expect(error?.message(in: .english) == "This is being done already.")
        #expect(second.state == .finished(.duplicate))
        gate.open()
        #expect(try await first.value == "a")
        #expect(site.server.requests.count == 1)
        // After the first call, an equal call starts again.
        #expect(try await fetch("/a", .reject, of: client, name: name).promise.value == "a")
        #expect(heard.all.filter { $0 == "willStart" }.count == 3)
        #expect(heard.all.contains("finished duplicate"))
    }

    @Test(arguments: [nil, "search"])
    func replaceFailsTheCallInFlight(name: String?) async throws {
        let client = site.client()
        let first = fetch("/a", .replace, of: client, name: name).start()
        let promise = first.promise
        try await gate.reached()
        let second = fetch(name == nil ? "/a" : "/b", .replace, of: client, name: name).start()
        let error = await refusal(of: promise)
        #expect(error?.code == .duplicate)
        #expect(error?.message(in: .english) == "A newer request has replaced this one.")
        #expect(error?.message(in: .simplifiedChinese) == "该请求已被新的请求取代。")
        #expect(first.state == .finished(.duplicate))
        _ = try await site.server.connectionEnded(0)
        gate.open()
        #expect(try await second.value == "a")
        #expect(client.activeCalls == 0)
    }

    @Test func otherRequestsAndClientsAreIndependent() async throws {
        let client = site.client(uniqueness: .reject)
        let other = site.client(uniqueness: .reject)
        let calls = [
            fetch("/a", .reject, of: client).start(), fetch("/b", .reject, of: client).start(),
            fetch("/a", .reject, of: other).start(), fetch("/a", .allow, of: client).start(),
        ]
        gate.open()
        for call in calls { #expect(try await call.value == "a") }
        #expect(site.server.requests.count == 4)
    }

    /// Identifiers are compared by their bytes, like all other parts of a request.
    @Test func canonicallyEquivalentIdentifiersDiffer() async throws {
        let client = site.client()
        let calls = ["caf\u{E9}", "cafe\u{301}"].map { fetch("/a", .reject, of: client, name: $0).start() }
        gate.open()
        for call in calls { #expect(try await call.value == "a") }
    }

    @Test func otherMethodsAreIndependent() async throws {
        let client = site.client(uniqueness: .reject)
        let calls = [Endpoint.get("/a"), .delete("/a"), .post("/a")].map { Fetch<String>($0, of: client).start() }
        gate.open()
        for call in calls { #expect(try await call.value == "a") }
    }

    @Test func cancelledCallDoesNotRejectTheNext() async throws {
        let client = site.client(uniqueness: .reject)
        for _ in 0..<10 {
            let call = Fetch<String>(.get("/a"), of: client).start()
            call.cancel()
        }
        let last = Fetch<String>(.get("/a"), of: client).start()
        gate.open()
        #expect(try await last.value == "a")
    }

    @Test func cancellingAllWhileCallsBeginDoesNotRejectTheNext() async throws {
        gate.open()
        let client = site.client(uniqueness: .reject)
        await withTaskGroup { group in
            group.addTask {
                for _ in 0..<300 { _ = await Fetch<String>(.get("/a"), of: client).promise.result }
            }
            group.addTask {
                for _ in 0..<300 {
                    client.cancelAll()
                    await Task.yield()
                }
            }
        }
        #expect(try await Fetch<String>(.get("/a"), of: client).promise.value == "a")
    }

    /// An observer may start the next call when it receives the finished event.
    @Test func endedCallDoesNotRejectTheNext() async throws {
        gate.open()
        let facts = Facts()
        let (next, begin) = Promise<Call<String>>.pending()
        let client = site.client(observers: [
            ClosureObserver { event in
                guard case .finished = event.kind, facts.count == 0 else { return }
                facts.note("ended")
                begin.fulfill(fetch("/a", .reject, of: event.call.client).start())
            }
        ])
        #expect(try await fetch("/a", .reject, of: client).promise.value == "a")
        #expect(try await next.value.value == "a")
    }

    @Test func rejectedCallMayBeRetried() async throws {
        let client = site.client(uniqueness: .reject)
        let first = Fetch<String>(.get("/a"), of: client).start()
        let second = Fetch<String>(.get("/a"), of: client).start()
        #expect(await refusal(of: second.promise)?.code == .duplicate)
        gate.open()
        #expect(try await first.value == "a")
        #expect(try await second.retry().value == "a")
    }
}
