import Foundation
import Harness
import TangoCache
import TangoRequest

/// A person, whose `about` is as long as the server makes it.
private struct Person: Codable, Sendable {
    let id: Int
    let about: String
}

private final class GetPerson: Request<Person> {
    private let api: Client
    private let path: String
    private let policy: CachePolicy
    private let isShared: Bool

    init(_ api: Client, _ path: String, _ policy: CachePolicy, isShared: Bool = false) {
        self.api = api
        self.path = path
        self.policy = policy
        self.isShared = isShared
    }

    override var client: Client { api }
    override var endpoint: Endpoint { .get(path) }
    override var cachePolicy: CachePolicy { policy }
    override var uniqueness: Uniqueness { isShared ? .join : .allow }
}

private func microseconds(_ count: Int, _ work: () async throws -> Void) async rethrows -> Double {
    try await processorNanoseconds(for: count, work) / 1000
}

/// Returns the median of the times that some work takes.
private func waiting(_ work: () async throws -> Void) async rethrows -> Double {
    var times: [Double] = []
    for _ in 0..<999 { times.append(try await nanoseconds(for: 1, work)) }
    return times.sorted()[times.count / 2]
}

/// The cost of a call without a transfer of its own: from a store, or sharing the transfer of another call.
func responsesWithoutTransfer(count: Int, _ server: Kept<Server>) -> Group {
    let small = "/person/40"
    let large = "/person/1970"  // 2 KB of JSON in total
    let memory = Kept { Client(baseURL: try await server.value.url(""), cache: MemoryStore()) }
    let signedIn = Kept {
        Client(baseURL: try await server.value.url(""), cache: MemoryStore()) { $0.identity = "ada@example.com" }
    }
    let limited = Kept { Client(baseURL: try await server.value.url("")) { $0.limiter = Limiter(total: 64) } }
    let disk = Kept {
        let store = try DiskStore(directory: URL(fileURLWithPath: Scratch.newFolder(), isDirectory: true))
        return Client(baseURL: try await server.value.url(""), cache: store)
    }

    func hits(
        _ name: String, _ kept: Kept<Client>, _ path: String, _ policy: CachePolicy, must: Double? = nil,
        aim: Double? = nil
    ) -> Row {
        .number("HTTP, \(name)", must: must, aim: aim) {
            let client = try await kept.value
            _ = try await GetPerson(client, path, policy).promise.value
            await client.finishStoring()
            return try await microseconds(count) {
                for _ in 0..<count { _ = try await GetPerson(client, path, policy).promise.value }
            }
        }
    }
    func joiners(_ name: String, _ kept: Kept<Client>, must: Double? = nil) -> Row {
        .number("HTTP, \(name)", must: must) {
            let client = try await kept.value
            return try await microseconds(10_000) {
                // The response arrives after all calls have joined.
                let all = (0..<10_000).map { _ in
                    GetPerson(client, "/lateperson", .networkOnly, isShared: true).promise
                }
                for promise in all { _ = try await promise.value }
            }
        }
    }
    let model = CachePolicy.cacheElseNetwork(write: .model)

    return Group(
        "HTTP, responses without a transfer: µs of the processor",
        [
            hits("a model from memory", memory, small, model, must: 5, aim: 2.5),
            .number("HTTP, a model from memory, to a handler on .background", must: 5, aim: 2.5) {
                let client = try await memory.value
                _ = try await GetPerson(client, small, model).promise.value
                return await microseconds(count) {
                    for _ in 0..<count {
                        await withUnsafeContinuation { handled in
                            _ = GetPerson(client, small, model).promise.next { _ in handled.resume() }
                        }
                    }
                }
            },
            .number("HTTP, a model from memory beside 64 GETs in flight: times the wait for one alone") {
                let client = try await memory.value
                _ = try await GetPerson(client, small, model).promise.value
                let alone = try await waiting { _ = try await GetPerson(client, small, model).promise.value }
                return try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 {
                        group.addTask {
                            while !Task.isCancelled {
                                _ = try? await GetPerson(client, small, .networkOnly).promise.value
                            }
                        }
                    }
                    let beside = try await waiting { _ = try await GetPerson(client, small, model).promise.value }
                    group.cancelAll()
                    return beside / alone
                }
            },
            hits("decoded from memory by .http", memory, small, .http),
            hits("a model from memory, with an identity", signedIn, small, model),
            hits("decoded from memory by .http, with an identity", signedIn, small, .http),
            hits("2 KB decoded from disk", disk, large, .cacheElseNetwork, must: 25, aim: 15),
            hits("2 KB decoded from disk by .http", disk, large, .http, must: 25, aim: 15),
            joiners("each of 10,000 who join a transfer", memory, must: 3),
            joiners("each of 10,000 who join a transfer, with a limiter", limited),
        ])
}
