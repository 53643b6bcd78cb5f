import Foundation
import Harness
import Tango

private final class GetShared: Request<Person> {
    private let api: Client
    init(_ api: Client) { self.api = api }
    override var client: Client { api }
    override var endpoint: Endpoint { .get("/person") }
    override var uniqueness: Uniqueness { .join }
}

/// Calls that join the transfer of another.
func joiners() -> [AllocationRow] {
    let transport = HoldingTransport()
    let client = makeClient(transport)
    return [
        AllocationRow(
            "a call that joins a transfer", limit: 6, preparing: { GetShared(client).promise }
        ) { first, count in
            let promises = (0..<count).map { _ in GetShared(client).promise }
            transport.deliver()
            while client.activeCalls > 0 { sched_yield() }
            keep((first, promises))
        }
    ]
}
