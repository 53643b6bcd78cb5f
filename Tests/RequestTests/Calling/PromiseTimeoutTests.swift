import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// A timeout of a promise, whose error names the requests that the promise waited for.
@Suite(.timeLimit(.minutes(20))) struct PromiseTimeoutTests {
    private let site: Site
    private let client: Client
    private let clock = ManualClock()
    private let gate = Gate()

    final class GetSecret: Fetch<String> {}

    init() throws {
        site = try Site()
        client = site.client()
        site.server.answer("/secret", with: .text("a").held(by: gate))
        site.server.answer("/other", with: .text("b"))
    }

    private var secret: GetSecret { GetSecret(.get("/secret", query: ["token": "hunter2", "page": 1]), of: client) }

    private var line: String { "GetSecret, GET \(site.server.url)/secret?token=…&page=1" }

    /// Starts a wait of two seconds, lets them pass, and returns the text of the error.
    private func timeout<Output>(of promise: Promise<Output>) async throws -> String {
        try await gate.reached()
        let limited = promise.timeout(.seconds(2), clock: clock)
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: PromiseError.timedOut) { try await limited.value }
        return try #require(error).description
    }

    @Test func errorNamesTheRequestAndTheTime() async throws {
        let text = try await timeout(of: secret.promise)
        #expect(
            text == "The promise did not settle in 2 s, waiting for \(line). "
                + "Allow more time, or check why its work is slow.")
    }

    @Test func errorNamesTheRequestOfAnUnmanagedCall() async throws {
        let call = secret.start(lifetime: .unmanaged)
        let text = try await timeout(of: call.promise)
        #expect(text.contains("waiting for \(line). "), "\(text)")
    }

    @Test func errorNamesTheRequestsThatAreLeft() async throws {
        let other = GetSecret(.get("/other"), of: client).promise
        #expect(try await other.value == "b")
        let text = try await timeout(of: Promise.all(other, secret.promise).map { $0.0 + $0.1 })
        #expect(text.contains("waiting for \(line). "), "\(text)")
    }

    /// The call has no other consumer, so the timeout cancels it.
    @Test(arguments: [CallLifetime.managed, .unmanaged])
    func timeoutCancelsTheCall(_ lifetime: CallLifetime) async throws {
        let call = secret.start(lifetime: lifetime)
        _ = try await timeout(of: call.promise)
        for await state in call.states where state.isFinished { #expect(state == .finished(.cancelled)) }
    }
}
