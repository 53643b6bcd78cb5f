import LoopbackServer
import Synchronization

/// Declarations of swift-service-lifecycle 2, as far as "Vapor and Hummingbird" uses them.
enum ServiceLifecycle {
    protocol Service: Sendable {
        func run() async throws
    }

    /// Opens when the process has to end.
    @TaskLocal fileprivate static var end: Gate?

    static func gracefulShutdown() async throws { try await end?.opened() }
}

/// Declarations of Hummingbird 2, as far as "Vapor and Hummingbird" uses them.
enum Hummingbird {
    struct Parameters: Sendable {
        let values: [String: String]

        func require(_ name: String) throws -> String {
            guard let value = values[name] else { throw HTTPError(HTTPTypes.HTTPResponse.Status(code: 400)) }
            return value
        }
    }

    struct BasicRequestContext: Sendable {
        let parameters: Parameters
    }

    struct Request: Sendable {}

    struct HTTPError: Error {
        let status: HTTPTypes.HTTPResponse.Status
        let body: String?

        init(_ status: HTTPTypes.HTTPResponse.Status, message: String? = nil) {
            self.status = status
            body = message
        }
    }

    final class Router: Sendable {
        typealias Route = @Sendable (Request, BasicRequestContext) async throws -> any Sendable

        private let routes = Mutex<[String: Route]>([:])

        func get<Response: Sendable>(
            _ path: String, use handler: @escaping @Sendable (Request, BasicRequestContext) async throws -> Response
        ) {
            routes.withLock { $0[path] = handler }
        }

        fileprivate func route(_ path: String) -> Route? { routes.withLock { $0[path] } }
    }

    struct Application: Sendable {
        private let router: Router
        private var services: [any ServiceLifecycle.Service] = []

        init(router: Router) { self.router = router }

        mutating func addServices(_ services: any ServiceLifecycle.Service...) { self.services += services }

        /// Runs the services until the gate is open.
        func run(until end: Gate) async throws {
            try await ServiceLifecycle.$end.withValue(end) {
                try await withThrowingTaskGroup { group in
                    for service in services { group.addTask { try await service.run() } }
                    try await group.waitForAll()
                }
            }
        }

        /// Handles a request, as the server of Hummingbird does.
        func respond(_ path: String, _ parameters: [String: String]) async throws -> any Sendable {
            guard let route = router.route(path) else { throw HTTPError(HTTPTypes.HTTPResponse.Status(code: 404)) }
            return try await route(Request(), BasicRequestContext(parameters: Parameters(values: parameters)))
        }
    }
}
