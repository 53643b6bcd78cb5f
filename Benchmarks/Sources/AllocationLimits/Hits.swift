import Foundation
import Harness
import Tango

private final class GetCached: Request<Person> {
    private let api: Client
    private let policy: CachePolicy

    init(_ api: Client, _ policy: CachePolicy) {
        self.api = api
        self.policy = policy
    }

    override var client: Client { api }
    override var endpoint: Endpoint { .get("/person") }
    override var cachePolicy: CachePolicy { policy }
}

/// Reads of a store in memory, and calls that it responds to.
func hits() -> [AllocationRow] {
    let store = MemoryStore()
    let key = CacheKey("key")
    return [
        AllocationRow("a hit of MemoryStore.peek", limit: 0) { count in
            try store.put(CacheEntry(body: Person.json), for: key)
            for _ in 0..<count { keep(store.peek(key)) }
        },
        row("a hit in memory: a model", limit: 8, .cacheElseNetwork(write: .model)),
        row("a hit in memory: a response, by .cacheElseNetwork", limit: 8, .cacheElseNetwork),
        row("a hit in memory: a response, by .http", limit: 12, .http),
    ]
}

private func row(_ name: String, limit: Int, _ policy: CachePolicy) -> AllocationRow {
    let client = makeClient(cache: MemoryStore())
    return AllocationRow(
        name, limit: limit,
        preparing: { _ = try GetCached(client, policy).promise.wait() }
    ) { _, count in
        let promises = (0..<count).map { _ in GetCached(client, policy).promise }
        while client.activeCalls > 0 { sched_yield() }
        keep(promises)
    }
}
