import Harness
import Tango

/// A client with calls that wait for a response.
private struct Crowd: Sendable {
    let client = makeClient()
    let calls: [Call<Data>]

    init(_ count: Int) async throws {
        let client = client
        calls = (0..<count).map { _ in Get(client, "/held").start() }
        try await wait(for: "all calls run") { calls.allSatisfy { $0.state == .running } }
    }
}

func liveCalls(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)
    let crowds = KeptForSizes(upTo) { try await Crowd($0) }

    func row(
        _ name: String, growsBecause reason: String? = nil,
        _ nanoseconds: @escaping @Sendable (Client) async throws -> Double
    ) -> GrowthRow {
        GrowthRow(name, beside: "live calls", upTo, growsBecause: reason) { count in
            try await nanoseconds(crowds(count).client)
        }
    }
    return [
        row("a call") { client in try await time { Get(client).start() } },
        row("start and cancel a call") { client in
            processorNanoseconds(for: 1_000) {
                for _ in 0..<1_000 { Get(client, "/held").start().cancel() }
            }
        },
        row("client.activeCalls") { client in
            processorNanoseconds(for: 10_000) { for _ in 0..<10_000 { keep(client.activeCalls) } }
        },
        row("client.cancelAll(tagged:), for one call") { client in
            await time(ofUpTo: 200) { _ in
                let call = Get(client, "/held", tags: ["one"]).start()
                client.cancelAll(tagged: "one")
                keep(call)
            }
        },
        row("client.calls", growsBecause: "It returns an array of all calls.") { client in
            await time(ofUpTo: 1_000) { _ in keep(client.calls) }
        },
    ]
}
