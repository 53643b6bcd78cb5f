import Foundation
import LoopbackServer
import Tango
import Testing

@testable import TestSupport

// Vapor

struct WarehouseKey: Vapor.StorageKey {
    typealias Value = Tango.Client
}

extension Vapor.Application {
    var warehouse: Tango.Client {
        get { storage[WarehouseKey.self] ?? .default }
        set { storage[WarehouseKey.self] = newValue }
    }
}

struct WarehouseLifecycle: Vapor.LifecycleHandler {
    func shutdownAsync(_ application: Vapor.Application) async { await application.warehouse.shutdown() }
}

extension Vapor.Abort {
    init(_ error: RequestError) {
        switch error.code {
        case .connectTimedOut, .idleTimedOut, .totalTimedOut: self.init(.gatewayTimeout, reason: error.message)
        case _ where error.response?.status == .notFound: self.init(.notFound, reason: error.message)
        default: self.init(.badGateway, reason: error.message)
        }
    }
}

func configure(_ app: Vapor.Application, warehouse: URL) {
    app.warehouse = Tango.Client(baseURL: warehouse, cache: MemoryStore()) {
        $0.timeouts = Timeouts(connect: .seconds(2), idle: .seconds(5), total: .seconds(10))
        $0.limiter = Limiter(perHost: 32, queue: 1_000)
        $0.retryPolicy = .standard
    }
    app.lifecycle.use(WarehouseLifecycle())

    app.get("items", ":id") { request async throws -> String in
        let path = PercentEncoding.path(segments: "items", request.parameters.get("id") ?? "")
        do {
            let item = try await request.application.warehouse.get(path, as: Item.self).value
            return "\(item.count) in stock"
        } catch let error as RequestError {
            throw Vapor.Abort(error)
        }
    }
}

// Hummingbird

struct WarehouseService: ServiceLifecycle.Service {
    let client: Tango.Client

    func run() async throws {
        try await ServiceLifecycle.gracefulShutdown()
        await client.shutdown()
    }
}

func makeApplication(warehouse: URL) -> Hummingbird.Application {
    let client = Tango.Client(baseURL: warehouse, cache: MemoryStore()) {
        $0.timeouts = Timeouts(connect: .seconds(2), idle: .seconds(5), total: .seconds(10))
        $0.limiter = Limiter(perHost: 32, queue: 1_000)
        $0.retryPolicy = .standard
    }
    let router = Hummingbird.Router()
    router.get("items/:id") { request, context -> String in
        let path = PercentEncoding.path(segments: "items", try context.parameters.require("id"))
        do {
            let item = try await client.get(path, as: Item.self).value
            return "\(item.count) in stock"
        } catch let error as RequestError {
            throw Hummingbird.HTTPError(.badGateway, message: error.message)
        }
    }
    var app = Hummingbird.Application(router: router)
    app.addServices(WarehouseService(client: client))
    return app
}

struct Item: Codable, Sendable {
    let id: Int
    let count: Int
}

/// The code of "Vapor and Hummingbird", against declarations of the shape of Vapor and Hummingbird.
@Suite(.timeLimit(.minutes(20))) struct BesideServersSnippets {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
        server.answer("/items/1", with: .json(#"{"id": 1, "count": 5}"#))
        server.answer("/items/3", with: .status(400))
    }

    @Test func vapor() async throws {
        let app = Vapor.Application()
        configure(app, warehouse: server.url)
        #expect(try await app.respond("items/:id", ["id": "1"]) as? String == "5 in stock")
        let missing = await #expect(throws: Vapor.Abort.self) { try await app.respond("items/:id", ["id": "2/x"]) }
        #expect(missing?.status == .notFound)
        #expect(server.requests.last?.target == "/items/2%2Fx")
        let refused = await #expect(throws: Vapor.Abort.self) { try await app.respond("items/:id", ["id": "3"]) }
        #expect(refused?.status == .badGateway)
        #expect(Vapor.Abort(RequestError(.totalTimedOut, phase: .wait, detail: "")).status == .gatewayTimeout)

        await app.asyncShutdown()
        let error = try await failure { try await app.warehouse.get("/items/1", as: Item.self).value }
        #expect(error.code == .shutDown)
        server.stop()
    }

    @Test func hummingbird() async throws {
        let app = makeApplication(warehouse: server.url)
        let end = Gate()
        async let run: Void = app.run(until: end)
        #expect(try await app.respond("items/:id", ["id": "1"]) as? String == "5 in stock")
        let refused = await #expect(throws: Hummingbird.HTTPError.self) {
            try await app.respond("items/:id", ["id": "3"])
        }
        #expect(refused?.status == .badGateway)
        end.open()
        try await run
        let ended = await #expect(throws: Hummingbird.HTTPError.self) {
            try await app.respond("items/:id", ["id": "1"])
        }
        #expect(ended?.status == .badGateway)
        #expect(server.requestCount == 2)
        server.stop()
    }
}
