import Synchronization

/// Declarations of Vapor 4, as far as "Vapor and Hummingbird" uses them.
enum Vapor {
    protocol StorageKey {
        associatedtype Value: Sendable
    }

    struct Storage: Sendable {
        private var values: [ObjectIdentifier: any Sendable] = [:]

        subscript<Key: StorageKey>(_ key: Key.Type) -> Key.Value? {
            get { values[ObjectIdentifier(key)] as? Key.Value }
            set { values[ObjectIdentifier(key)] = newValue }
        }
    }

    protocol LifecycleHandler: Sendable {
        func shutdownAsync(_ application: Application) async
    }

    struct Lifecycle: Sendable {
        fileprivate(set) var handlers: [any LifecycleHandler] = []
        mutating func use(_ handler: any LifecycleHandler) { handlers.append(handler) }
    }

    struct Parameters: Sendable {
        let values: [String: String]
        func get(_ name: String) -> String? { values[name] }
    }

    final class Request: Sendable {
        let application: Application
        let parameters: Parameters

        init(_ application: Application, _ parameters: Parameters) {
            self.application = application
            self.parameters = parameters
        }
    }

    struct HTTPResponseStatus: Equatable, Sendable {
        let code: Int
        static let notFound = HTTPResponseStatus(code: 404)
        static let badGateway = HTTPResponseStatus(code: 502)
        static let gatewayTimeout = HTTPResponseStatus(code: 504)
    }

    struct Abort: Error {
        let status: HTTPResponseStatus
        let reason: String

        init(_ status: HTTPResponseStatus, reason: String? = nil) {
            self.status = status
            self.reason = reason ?? ""
        }
    }

    final class Application: Sendable {
        typealias Route = @Sendable (Request) async throws -> any Sendable

        private let state = Mutex<(storage: Storage, lifecycle: Lifecycle, routes: [String: Route])>(
            (Storage(), Lifecycle(), [:]))

        var storage: Storage {
            get { state.withLock(\.storage) }
            set { state.withLock { $0.storage = newValue } }
        }

        var lifecycle: Lifecycle {
            get { state.withLock(\.lifecycle) }
            set { state.withLock { $0.lifecycle = newValue } }
        }

        func get<Response: Sendable>(
            _ path: String..., use closure: @escaping @Sendable (Request) async throws -> Response
        ) {
            state.withLock { $0.routes[path.joined(separator: "/")] = closure }
        }

        func asyncShutdown() async {
            for handler in lifecycle.handlers.reversed() { await handler.shutdownAsync(self) }
        }

        /// Handles a request, as the server of Vapor does.
        func respond(_ route: String, _ parameters: [String: String]) async throws -> any Sendable {
            guard let closure = state.withLock({ $0.routes[route] }) else { throw Abort(.notFound) }
            return try await closure(Request(self, Parameters(values: parameters)))
        }
    }
}
