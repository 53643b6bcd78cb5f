import Harness
import Tango

/// Calls that share a transfer.
func joiners(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)
    let shared = KeptForSizes(upTo) { count in
        let client = makeClient()
        return (client: client, calls: (0..<count).map { _ in Get(client, "/held", isShared: true).start() })
    }
    return [
        GrowthRow("join, and receive the response", beside: "calls that share a transfer", upTo) { count in
            let transport = GrowthTransport()
            let client = makeClient(transport)
            let turns = max(1, 1_000 / count)
            return try await processorNanoseconds(for: turns * count) {
                for _ in 0..<turns {
                    let calls = (0..<count).map { _ in Get(client, "/held", isShared: true).start() }
                    transport.release()
                    for call in calls { _ = try await call.value }
                }
            }
        },
        GrowthRow("join, and leave", beside: "calls that share a transfer", upTo) { count in
            let client = try await shared(count).client
            return processorNanoseconds(for: 1_000) {
                for _ in 0..<1_000 { Get(client, "/held", isShared: true).start().cancel() }
            }
        },
    ]
}
