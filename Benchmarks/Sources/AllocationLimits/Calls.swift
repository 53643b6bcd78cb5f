import Foundation
import Harness
import Synchronization
import Tango

/// A request as an application declares it.
private final class Get<Output: Decodable & Sendable>: Request<Output> {
    private let api: Client
    init(_ api: Client) { self.api = api }
    override var client: Client { api }
    override var endpoint: Endpoint { .get("/person") }
}

private final class Observer: CallObserver {
    private let ended = Atomic(0)

    var finished: Int { ended.load(ordering: .acquiring) }

    func observe(_ event: CallEvent) {
        if case .finished = event.kind { ended.add(1, ordering: .releasing) }
    }
}

func makeClient(
    _ transport: any Transport = InstantTransport(), cache: (any CacheStore)? = nil,
    _ change: (inout Client.Configuration) -> Void = { _ in }
) -> Client {
    Client(baseURL: URL(string: "http://localhost"), cache: cache) {
        $0.transport = transport
        change(&$0)
    }
}

/// Calls whose response the transport has at once.
func calls() -> [AllocationRow] {
    let plain = makeClient()
    let limited = makeClient { $0.limiter = Limiter(total: 10_000, perHost: 10_000) }
    return [
        row("a call on an instant transport, for Data", limit: 14, Data.self, plain),
        row("the same, for a decoded value", limit: 26, Person.self, plain),
        row("the same, with a limiter", limit: 26, Person.self, limited),
        observed("the same, with an observer", limit: 88, scatter: 16),
        AllocationRow("the decoder alone", limit: 12) { count in
            let decoder = JSONDecoder()
            for _ in 0..<count { keep(try decoder.decode(Person.self, from: Person.json)) }
        },
    ]
}

private func row<Output: Decodable & Sendable>(
    _ name: String, limit: Int, _ output: Output.Type, _ client: Client
) -> AllocationRow {
    AllocationRow(name, limit: limit) { count in
        let promises = (0..<count).map { _ in Get<Output>(client).promise }
        while client.activeCalls > 0 { sched_yield() }
        keep(promises)
    }
}

/// An observed call passes from thread to thread. Therefore each is counted alone, until its last event has been observed.
/// An event that arrives while its observer still runs needs no wake-up, which saves up to four allocations.
private func observed(_ name: String, limit: Int, scatter: Int) -> AllocationRow {
    let observer = Observer()
    let client = makeClient { $0.observers = [observer] }
    return AllocationRow(name, limit: limit, scatter: scatter, operations: 1, preparing: { observer.finished }) {
        finished, _ in
        let promise = Get<Person>(client).promise
        while client.activeCalls > 0 || observer.finished == finished { sched_yield() }
        keep(promise)
    }
}
