import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TestSupport

/// The outcome of a call and the content of the store, for each fetch policy, state of the store and network outcome.
@Suite(.timeLimit(.minutes(20)))
struct FetchPolicyTests {
    /// The state of the store before the call: no entry, item 1, or an entry that cannot be read.
    enum Before: String, CaseIterable, Sendable {
        case nothing, fresh, expired, unusable
    }

    /// The outcome of the request: item 2, item 1 again, a failure or a cancellation.
    enum Outcome: String, CaseIterable, Sendable {
        case success, same, refused, notFound, unavailable, offline, garbage, timedOut, cancelled
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let fetch: CachePolicy.Fetch
        let before: Before
        let outcome: Outcome
        let expected: Seen

        var testDescription: String { "\(fetch), \(before), \(outcome)" }
    }

    private static let errors: [Outcome: String] = [
        .refused: "business", .notFound: "badStatus", .unavailable: "badStatus", .offline: "connectionLost",
        .garbage: "notDecodable", .timedOut: "totalTimedOut", .cancelled: "cancelled",
    ]

    private static func seen(
        _ promise: String, _ values: [String], _ callbacks: [String]? = nil, kept: String, asked: Int = 1
    ) -> Seen {
        Seen(promise: promise, values: values, callbacks: callbacks ?? values, kept: kept, asked: asked)
    }

    /// The whole table. It follows the documentation, and does not use the plan.
    static let rows: [Row] = CachePolicy.Fetch.allCases.filter { $0 != .http }.flatMap { fetch in
        Before.allCases.flatMap { before in
            Outcome.allCases.map { outcome in
                Row(fetch: fetch, before: before, outcome: outcome, expected: expected(fetch, before, outcome))
            }
        }
    }

    private static func expected(_ fetch: CachePolicy.Fetch, _ before: Before, _ outcome: Outcome) -> Seen {
        let present =
            ["nothing": "nothing", "fresh": "1", "expired": "1", "unusable": "unusable"][before.rawValue] ?? ""
        let readable = before == .unusable ? "nothing" : present
        let fresh = outcome == .same ? "1" : "2"
        let isSuccess = outcome == .success || outcome == .same
        let error = errors[outcome] ?? ""
        let silent = outcome == .cancelled
        /// Returns the outcome of a request if nothing was delivered before it.
        func sending(_ left: String) -> Seen {
            if isSuccess { return seen(fresh, [fresh], kept: fresh) }
            return seen(
                error, [error], silent ? [] : [error], kept: outcome == .refused ? "nothing" : left)
        }
        switch fetch {
        case .networkOnly:
            var seen = sending(present)
            seen.kept = present
            return seen
        case .reload: return sending(present)
        case .cacheElseNetwork:
            return before == .fresh ? seen("1", ["1"], kept: "1", asked: 0) : sending(readable)
        case .cacheOnly:
            return before == .fresh
                ? seen("1", ["1"], kept: "1", asked: 0)
                : seen("notCached", ["notCached"], kept: readable, asked: 0)
        case .cacheThenNetwork:
            guard before == .fresh else { return sending(readable) }
            switch outcome {
            case .success: return seen("1", ["1", "2"], kept: "2")
            case .same: return seen("1", ["1"], ["1", "1"], kept: "1")
            case .cancelled: return seen("1", ["1", "cancelled"], ["1"], kept: "1")
            default: return seen("1", ["1", error], kept: outcome == .refused ? "nothing" : "1")
            }
        case .networkElseCache:
            let falls = [.unavailable, .offline, .garbage, .timedOut].contains(outcome)
            guard falls else { return sending(present) }
            return before == .fresh ? seen("1", ["1"], kept: "1") : seen(error, [error], kept: readable)
        case .http: return sending(present)
        }
    }

    // MARK: Running a row

    private static let validation: Validation =
        .default
        + .business(Item.self) { $0.id == 99 ? BusinessFailure(code: 99) : nil }

    private func prepare(
        _ before: Before, _ write: CachePolicy.Write, _ client: Client, _ site: CacheSite
    ) async throws {
        guard before != .nothing else { return }
        site.server.answer("/item", with: .item(1))
        #expect(try await GetItem(client, .reload(write: write)).promise.value.id == 1)
        await client.finishStoring()
        if before == .expired { site.clock.advance(by: .seconds(100)) }
        guard before == .unusable else { return }
        for try await item in site.store.entries() {
            var entry = try #require(try await site.store.get(item.key))
            entry.body = Data("nonsense".utf8)
            entry.object = nil
            try await site.store.set(entry, for: item.key)
        }
    }

    private func script(_ outcome: Outcome, _ gate: Gate, _ site: CacheSite) {
        switch outcome {
        case .success: site.server.answer("/item", with: .item(2).held(by: gate))
        case .same: site.server.answer("/item", with: .item(1).held(by: gate))
        case .refused: site.server.answer("/item", with: .item(99).held(by: gate))
        case .notFound: site.server.answer("/item", with: .item(2).status(404).held(by: gate))
        case .unavailable: site.server.answer("/item", with: .item(2).status(503).held(by: gate))
        case .offline: site.server.answer("/item", with: .item(2).held(by: gate).failing(.reset, at: .responseHead))
        case .garbage: site.server.answer("/item", with: .text("<html>").held(by: gate))
        case .timedOut, .cancelled: site.server.answer("/item", with: .item(2).held(by: gate))
        }
    }

    /// Returns the content of the store, also if it has expired.
    private func content(_ write: CachePolicy.Write, _ client: Client, _ site: CacheSite) async throws -> String {
        await client.finishStoring()
        for try await item in site.store.entries() {
            let entry = try #require(try await site.store.get(item.key))
            if entry.body == Data("nonsense".utf8) { return "unusable" }
            let policy = CachePolicy(fetch: .cacheOnly, hit: .always, write: write)
            return try await GetItem(client, policy).cached().map { "\($0.id)" } ?? "other"
        }
        return "nothing"
    }

    private func check(_ row: Row, _ write: CachePolicy.Write, _ kind: CacheSite.Kind) async throws {
        let site = try CacheSite(kind)
        let client = site.client(timeouts: Timeouts(total: .seconds(10)), validation: Self.validation)
        try await prepare(row.before, write, client, site)
        let before = site.count
        let gate = Gate()
        script(row.outcome, gate, site)
        let policy = CachePolicy(fetch: row.fetch, hit: .maxAge(.seconds(50)), write: write)
        let heard = Facts()
        let sends = row.expected.asked > 0
        let call = GetItem(client, policy).start { item, _ in
            heard.note("\(item.id)")
        } failure: { error, _ in
            heard.note(word(.failure(error)))
        }
        let promise = call.promise
        let following = Task { () -> [String] in
            var words: [String] = []
            do {
                for try await item in call.values { words.append("\(item.id)") }
            } catch {
                words.append(word(.failure(error)))
            }
            return words
        }
        if sends {
            try await gate.reached()
            switch row.outcome {
            case .timedOut:
                await site.clock.sleepers()
                site.clock.advance(by: .seconds(10))
            case .cancelled:
                await heard.reached(count: row.fetch == .cacheThenNetwork && row.before == .fresh ? 1 : 0)
                call.cancel()
            default: break
            }
            if row.outcome != .timedOut { gate.open() }
        }
        let values = await following.value
        gate.open()
        await heard.reached(count: row.expected.callbacks.count)
        let settled = word(await promise.result)
        let content = try await content(write, client, site)
        let seen = Seen(
            promise: settled, values: values, callbacks: heard.all, kept: content, asked: site.count > before ? 1 : 0)
        #expect(seen == row.expected, "\(row.testDescription), \(write), \(kind)")
        await client.shutdown()
    }

    @Test(arguments: rows)
    func callsInMemoryFollowThePolicy(_ row: Row) async throws {
        for write in [CachePolicy.Write.raw, .model] { try await check(row, write, .memory) }
    }

    @Test(arguments: rows, [CacheSite.Kind.disk, .tiered])
    func callsOnDiskFollowThePolicy(_ row: Row, _ kind: CacheSite.Kind) async throws {
        try await check(row, kind == .disk ? .raw : .model, kind)
    }
}
