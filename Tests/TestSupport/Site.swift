import Foundation
import LoopbackServer
import TangoPromise
import TangoRequest

/// The server of one test, with clients for it.
final class Site: Sendable {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    deinit {
        server.stop()
    }

    func client(
        headers: Headers = [:], timeouts: Timeouts = .patient, validation: Validation = .default,
        errorSerializer: ErrorSerializer? = nil, callbackScheduler: Scheduler = .background,
        json: JSONCoding = .default, responseLimit: Int? = nil, interceptors: [any Interceptor] = [],
        attemptInterceptors: [any Interceptor] = [], observers: [any CallObserver] = [],
        uniqueness: Uniqueness = .allow,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Client {
        Client(baseURL: server.url) {
            $0.headers = headers
            $0.timeouts = timeouts
            $0.validation = validation
            $0.uniqueness = uniqueness
            $0.errorSerializer = errorSerializer
            $0.callbackScheduler = callbackScheduler
            $0.json = json
            $0.responseLimit = responseLimit
            $0.interceptors = interceptors
            $0.attemptInterceptors = attemptInterceptors
            $0.observers = observers
            $0.clock = clock
        }
    }
}

extension Duration {
    /// A time that no test reaches, even on a busy machine.
    static let patient = Duration.seconds(600)
}

extension Timeouts {
    /// Timeouts that no test reaches.
    static let patient = Timeouts(connect: .patient, idle: .patient)
}

/// A request whose declaration can be set from outside.
class Fetch<Output: Sendable>: Request<Output> {
    let owner: Client
    var place: Endpoint
    var form: Serializer<Output>
    var fields: Headers = [:]
    var words: Set<String> = []
    var name: String?
    var watchers: [any CallObserver] = []
    var rules: Validation?
    var errorForm: ErrorSerializer?
    var times: Timeouts?
    var limit: Int?
    var kind: Uniqueness?

    init(
        _ place: Endpoint, of owner: Client, as output: Output.Type = Output.self,
        by form: Serializer<Output> = .default
    ) {
        self.place = place
        self.owner = owner
        self.form = form
    }

    override var client: Client { owner }
    override var endpoint: Endpoint { place }
    override var serializer: Serializer<Output> { form }
    override var headers: Headers { fields }
    override var tags: Set<String> { words }
    override var identifier: String? { name }
    override var observers: [any CallObserver] { watchers }
    override var validation: Validation { rules ?? super.validation }
    override var errorSerializer: ErrorSerializer? { errorForm ?? super.errorSerializer }
    override var timeouts: Timeouts { times ?? super.timeouts }
    override var uniqueness: Uniqueness { kind ?? super.uniqueness }
    override var responseLimit: Int? { limit ?? super.responseLimit }
}

/// Returns the `RequestError` that a function throws, or nil if it throws none.
func refusal<Value>(of work: () async throws -> Value) async -> RequestError? {
    do {
        _ = try await work()
        return nil
    } catch {
        return error as? RequestError
    }
}

/// Returns the `RequestError` of a rejected promise, or nil if there is none.
func refusal<Value>(of promise: Promise<Value>) async -> RequestError? {
    await refusal(of: { try await promise.value })
}

func isCancelled<Value>(_ promise: Promise<Value>) async -> Bool {
    do {
        _ = try await promise.value
        return false
    } catch {
        return error is CancellationError
    }
}
