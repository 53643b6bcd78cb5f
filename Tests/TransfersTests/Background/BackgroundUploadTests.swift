import Foundation
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// Uploads of files by a background session.
@Suite(.timeLimit(.minutes(20)))
struct BackgroundUploadTests {
    private let site = BackgroundSite()
    private let file: URL

    init() throws {
        file = try site.files.file("source", filmBytes)
    }

    private func send() -> SendFilm { SendFilm(file, site.client) }

    @Test func callGetsTheResponse() async throws {
        site.launch()
        let call = send().start()
        let order = await site.system.order()
        #expect(order.file == file)
        #expect(order.request.method == .put)
        site.system.session?.sent(order.id, 2_500, of: 5_000)
        #expect(call.core.transportProgress.snapshot.sent == 2_500)
        site.system.respond(order.id, "stored")
        #expect(try await call.value == "stored")
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func errorHasTheBody() async throws {
        site.launch()
        let call = send().start()
        site.system.respond(await site.system.order().id, "full", status: 507)
        let error = try await failure { try await call.value }
        #expect(error.code == .badStatus)
        #expect(error.response?.body == Data("full".utf8))
    }

    @Test func sameUploadIsSentOnceAtATime() async throws {
        site.launch()
        let call = send().start()
        let order = await site.system.order()
        #expect(try await failure { try await send().start().value }.code == .duplicate)
        site.system.respond(order.id, "stored")
        _ = try await call.value
    }

    @Test func fileThatChangesIsAnError() async throws {
        site.launch()
        let call = send().start()
        let order = await site.system.order()
        try Data("other".utf8).write(to: file)
        site.system.respond(order.id, "stored")
        let error = try await failure { try await call.value }
        #expect(error.code == .badBody)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func missingFileIsAnErrorBeforeAnythingIsSent() async throws {
        site.launch()
        try FileManager.default.removeItem(at: file)
        #expect(try await failure { try await send().start().value }.code == .badBody)
        #expect(site.system.orders.isEmpty)
    }

    @Test func responseOfAnEarlierProcessIsDeliveredOnce() async throws {
        site.launch()
        send().start()
        let order = await site.system.order()
        await site.launch().ready()
        site.system.respond(order.id, "stored")
        await site.launch().ready()
        #expect(try await send().start().value == "stored")
        #expect(site.system.orders.count == 1)
        #expect(BackgroundSite.names(site.kept).isEmpty)
    }

    @Test func otherVersionOfTheFileIsSent() async throws {
        site.launch()
        send().start()
        site.system.respond(await site.system.order().id, "stored")
        try Data("other".utf8).write(to: file)
        let call = send().start()
        site.system.respond(await site.system.order(2).id, "stored again")
        #expect(try await call.value == "stored again")
    }

    @Test func failureOfAnEarlierProcessIsNotStored() async throws {
        site.launch()
        send().start()
        let order = await site.system.order()
        await site.launch().ready()
        site.system.respond(order.id, "full", status: 507)
        #expect(BackgroundSite.names(site.kept).isEmpty)
        let call = send().start()
        site.system.respond(await site.system.order(2).id, "stored")
        #expect(try await call.value == "stored")
    }
}
