import Foundation
import LoopbackServer
import Synchronization
import TangoRequest
import Testing

@testable import TestSupport

/// A feature of another module, which has what a feature can have: a setting, a stage, a mark, a user and a sign-out.
private final class Tenants: ClientFeature {
    private let tenant: Mutex<String>
    private let facts: Facts

    init(_ tenant: String, _ facts: Facts) {
        self.tenant = Mutex(tenant)
        self.facts = facts
    }

    var name: String {
        get { tenant.withLock { $0 } }
        set { tenant.withLock { $0 = newValue } }
    }

    func stages(in client: FeatureContext) -> [PlacedStage] { [PlacedStage(TenantStage(tenants: self), .belowCache)] }

    func leave() { facts.note("leaves") }

    func signOut(_ user: ClientUser) async throws { facts.note("signs out") }

    func finish() async { facts.note("finishes") }

    var setting: String? { "tenant: \(name)" }
}

extension Client.Configuration {
    fileprivate var tenants: Tenants? {
        get { features[Tenants.self] }
        set { features[Tenants.self] = newValue }
    }
}

/// Adds the name of the tenant to requests.
private struct TenantStage: Stage {
    let tenants: Tenants

    func shortcut(for request: HTTPRequest, of plan: CommonPlan) -> StageShortcut {
        var request = request
        request.headers.set(name: "Tenant", value: tenants.name)
        return .change(request)
    }

    func accepts(_ outcome: Result<HTTPResponse, any Error>, of plan: CommonPlan) -> Bool { true }

    func mark(of request: () throws -> HTTPRequest, for plan: CommonPlan) throws -> SharingMark { .text(tenants.name) }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        var request = request
        request.headers.set(name: "Tenant", value: tenants.name)
        return try await next(request)
    }
}

/// A feature that is added to a client from outside of its module.
@Suite(.timeLimit(.minutes(20)))
struct FeatureTests {
    private let server: LoopbackServer
    private let tenants: Tenants
    private let facts = Facts()

    init() throws {
        server = try LoopbackServer()
        tenants = Tenants("one", facts)
        server.answer { .text($0.headers["Tenant"] ?? "none") }
    }

    private func client(_ change: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: server.url) {
            $0.tenants = tenants
            change(&$0)
        }
    }

    @Test(arguments: [false, true])
    func itsStageHasEachRequest(isObserved: Bool) async throws {
        defer { server.stop() }
        let client = client { if isObserved { $0.observe { _ in } } }
        #expect(try await client.get("/a", as: String.self).value == "one")
        tenants.name = "two"
        #expect(try await client.get("/a", as: String.self).value == "two")
        #expect(try await Client(baseURL: server.url).get("/a", as: String.self).value == "none")
    }

    @Test func callsWithOtherMarksShareNoTransfer() async throws {
        defer { server.stop() }
        let gate = Gate()
        server.answer("/a") { Response.text($0.headers["Tenant"] ?? "none").held(by: gate) }
        let client = client { $0.uniqueness = .join }
        let one = Fetch<String>(.get("/a"), of: client)
        let calls = [one.start(), one.start()]
        try await gate.reached()
        tenants.name = "two"
        let other = one.start()
        try await gate.reached(count: 2)
        gate.open()
        for call in calls { #expect(try await call.value == "one") }
        #expect(try await other.value == "two")
        #expect(server.requests.count == 2)
    }

    @Test func itTakesPartInTheSignOut() async throws {
        defer { server.stop() }
        let client = client()
        try await client.signOut()
        #expect(facts.all.first == "leaves")
        #expect(facts.all.last == "signs out")
        #expect(!facts.all.contains("finishes"))
    }

    @Test func itFinishesWithTheClient() async throws {
        defer { server.stop() }
        await client().shutdown()
        #expect(facts.all == ["finishes"])
    }

    @Test func derivedClientsHaveItAndItsSettingIsDescribed() {
        defer { server.stop() }
        let client = client()
        #expect("\(client.configuration)".contains("tenant: one"))
        #expect(client.with { $0.headers = ["A": "b"] }.configuration.tenants === tenants)
        let without = client.with { $0.tenants = nil }
        #expect(!"\(without.configuration)".contains("tenant"))
    }
}
