import Foundation
import Harness
import Synchronization
import Tango

/// A transport that has a response at once, except for `/held`: these requests wait until they are cancelled or released.
final class GrowthTransport: Transport {
    let capabilities: TransportCapabilities = []
    private let held = Mutex<[HeldRequest]>([])

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        guard request.url.path == "/held" else {
            completion { HTTPResponse(status: 200, request: request) }
            return .completed
        }
        let exchange = HeldRequest(request, completion)
        held.withLock { $0.append(exchange) }
        return TransportTask { exchange.complete { throw CancellationError() } }
    }

    /// Delivers the responses that wait.
    func release() {
        let exchanges = held.withLock { held in
            defer { held = [] }
            return held
        }
        for exchange in exchanges { exchange.complete { HTTPResponse(status: 200, request: exchange.request) } }
    }

    func shutdown() async {}
}

/// A request whose response waits. It is completed once.
private final class HeldRequest: Sendable {
    let request: HTTPRequest
    private let completion: Mutex<TransportCompletion?>

    init(_ request: HTTPRequest, _ completion: @escaping TransportCompletion) {
        self.request = request
        self.completion = Mutex(completion)
    }

    func complete(_ response: @escaping @Sendable () throws -> HTTPResponse) {
        let completion = completion.withLock { completion in
            defer { completion = nil }
            return completion
        }
        completion?(response)
    }
}

final class Get: Request<Data> {
    private let api: Client
    private let url: String
    private let isShared: Bool
    private let names: Set<String>
    private let watchers: [any CallObserver]

    init(
        _ api: Client, _ url: String = "/", isShared: Bool = false, tags: Set<String> = [],
        observers: [any CallObserver] = []
    ) {
        self.api = api
        self.url = url
        self.isShared = isShared
        names = tags
        watchers = observers
    }

    override var client: Client { api }
    override var endpoint: Endpoint { .get(url) }
    override var uniqueness: Uniqueness { isShared ? .join : .allow }
    override var tags: Set<String> { names }
    override var observers: [any CallObserver] { watchers }
}

func makeClient(
    _ transport: any Transport = GrowthTransport(), _ change: (inout Client.Configuration) -> Void = { _ in }
) -> Client {
    Client(baseURL: URL(string: "http://localhost")) {
        $0.transport = transport
        change(&$0)
    }
}

/// Returns the nanoseconds of a call, in calls of which a hundred are in flight.
func time(ofCalls count: Int = 2_000, _ make: () -> Call<Data>) async throws -> Double {
    try await processorNanoseconds(for: count) {
        for _ in 0..<max(1, count / 100) {
            let calls = (0..<min(count, 100)).map { _ in make() }
            for call in calls { _ = try await call.value }
        }
    }
}

/// Waits for a state of other threads, on which nothing reports. Throws after a minute.
func wait(for state: String, _ isReached: () -> Bool) async throws {
    let start = ContinuousClock.now
    while !isReached() {
        guard ContinuousClock.now - start < .seconds(60) else { throw Failure("waited a minute for this: \(state)") }
        await Task.yield()
    }
}
