import Harness
import Tango
import TangoAuth

/// A source whose token waits until it is told to deliver it.
private final class HeldToken: TokenSource {
    private let (tokens, continuation) = AsyncStream<Token>.makeStream()

    func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token {
        for await token in tokens { return token }
        throw CancellationError()
    }

    func deliver() {
        continuation.yield(Token("a"))
    }
}

/// Calls that wait for one token.
private struct Waiters: Sendable {
    let source = HeldToken()
    let client: Client
    let calls: [Call<Data>]

    init(_ count: Int) async throws {
        let source = source
        let client = makeClient { $0.authenticator = TokenAuthenticator(source, holdLimit: nil) }
        self.client = client
        calls = (0..<count).map { _ in Get(client).start() }
        try await wait(for: "all calls wait for the token") { calls.allSatisfy { $0.state == .held } }
    }
}

func waiters(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)
    let kept = KeptForSizes(upTo) { try await Waiters($0) }
    return [
        GrowthRow("start, wait, and be sent with the token", beside: "calls that wait for a token", upTo) { count in
            let turns = max(1, 200 / count)
            return try await processorNanoseconds(for: turns * count) {
                for _ in 0..<turns {
                    let waiters = try await Waiters(count)
                    waiters.source.deliver()
                    for call in waiters.calls { _ = try await call.value }
                }
            }
        },
        GrowthRow("start, wait, and be cancelled", beside: "calls that wait for a token", upTo) { count in
            let client = try await kept(count).client
            return try await processorNanoseconds(for: 200) {
                let calls = (0..<200).map { _ in Get(client).start() }
                try await wait(for: "all calls wait for the token") { calls.allSatisfy { $0.state == .held } }
                for call in calls { call.cancel() }
                try await wait(for: "all cancelled calls have ended") { client.activeCalls == count }
            }
        },
    ]
}
