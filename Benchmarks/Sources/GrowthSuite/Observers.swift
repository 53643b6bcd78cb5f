import Harness
import Tango

private struct Observer: CallObserver {
    func observe(_ event: CallEvent) { keep(event.kind) }
}

/// Calls that many objects observe.
func observers(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)
    let reason = "Each observer is notified of each event."
    let watched = KeptForSizes(upTo) { count in
        makeClient { $0.observers = (0..<count).map { _ in Observer() } }
    }
    return [
        GrowthRow("a call", beside: "observers of a client", upTo, growsBecause: reason) { count in
            let client = try await watched(count)
            return try await time(ofCalls: max(10, 2_000 / count)) { Get(client).start() }
        },
        GrowthRow("a call", beside: "observers of a call", upTo, growsBecause: reason) { count in
            let client = makeClient()
            let observers = (0..<count).map { _ in Observer() }
            return try await time(ofCalls: max(10, 2_000 / count)) { Get(client, observers: observers).start() }
        },
        GrowthRow("follow the states of a call, until it ends", beside: "followers of a call", upTo) { count in
            let client = makeClient()
            let turns = max(1, 200 / count)
            return await processorNanoseconds(for: turns * count) {
                for _ in 0..<turns {
                    let call = Get(client, "/held").start()
                    let followers = (0..<count).map { _ in call.states }
                    call.cancel()
                    for states in followers { for await state in states { keep(state) } }
                }
            }
        },
    ]
}
