import Foundation
import LoopbackServer
import TangoCache
import TangoPromise
import Testing

@testable import TangoRequest

/// For each fetch policy, each state of the store and each outcome of the network: who sees what, and what is kept.
@Suite(.timeLimit(.minutes(10)))
struct FetchPolicyTests {
    /// What is in the store before: item 1, or something that cannot be read.
    enum Before: String, CaseIterable, Sendable {
        case nothing, fresh, expired, unusable
    }

    /// What the server does: item 2, or something else.
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

    /// The whole table, by the words of the documentation rather than by the plan.
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
        /// What asking comes to, where nothing was delivered before.
        func asking(_ left: String) -> Seen {
            if isSuccess { return seen(fresh, [fresh], kept: fresh) }
            return seen(
                error, [error], silent ? [] : [error], kept: outcome == .refused ? "nothing" : left)
        }
        switch fetch {
        case .networkOnly:
            var seen = asking(present)
            seen.kept = present
            return seen
        case .reload: return asking(present)
        case .cacheElseNetwork:
            return before == .fresh ? seen("1", ["1"], kept: "1", asked: 0) : asking(readable)
        case .cacheOnly:
            return before == .fresh
                ? seen("1", ["1"], kept: "1", asked: 0)
                : seen("notCached", ["notCached"], kept: readable, asked: 0)
        case .cacheThenNetwork:
            guard before == .fresh else { return asking(readable) }
            switch outcome {
            case .success: return seen("1", ["1", "2"], kept: "2")
            case .same: return seen("1", ["1"], ["1", "1"], kept: "1")
            case .cancelled: return seen("1", ["1", "cancelled"], ["1"], kept: "1")
            default: return seen("1", ["1", error], kept: outcome == .refused ? "nothing" : "1")
            }
        case .networkElseCache:
            let falls = [.unavailable, .offline, .garbage, .timedOut].contains(outcome)
            guard falls else { return asking(present) }
            return before == .fresh ? seen("1", ["1"], kept: "1") : seen(error, [error], kept: readable)
        case .http: return asking(present)
        }
    }

    // MARK: Carrying a row out

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

    /// What is kept, whatever a policy makes of it.
    private func kept(_ write: CachePolicy.Write, _ client: Client, _ site: CacheSite) async throws -> String {
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
        let asks = row.expected.asked > 0
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
        if asks {
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
        let kept = try await kept(write, client, site)
        let seen = Seen(
            promise: settled, values: values, callbacks: heard.all, kept: kept, asked: site.count > before ? 1 : 0)
        #expect(seen == row.expected, "\(row.testDescription), \(write), \(kind)")
        await client.shutdown()
    }

    @Test(arguments: rows)
    func everyoneSeesWhatThePolicySays(_ row: Row) async throws {
        for write in [CachePolicy.Write.raw, .model] { try await check(row, write, .memory) }
    }

    @Test(arguments: rows, [CacheSite.Kind.disk, .tiered])
    func theSameHoldsOnDisk(_ row: Row, _ kind: CacheSite.Kind) async throws {
        try await check(row, kind == .disk ? .raw : .model, kind)
    }
}
