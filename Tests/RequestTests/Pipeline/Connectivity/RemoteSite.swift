import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoTesting

@testable import TangoRequest
@testable import TestSupport

/// A server of a test that clients know by a name which is not that of this device.
final class RemoteSite: Sendable {
    let server: LoopbackServer
    let network: ScriptedConnectivity
    let clock = ManualClock()
    private let transport: RemoteTransport

    init(_ status: ConnectivityStatus = .available) throws {
        server = try LoopbackServer()
        server.answer("/a", with: .text("a"))
        network = ScriptedConnectivity(status)
        transport = RemoteTransport(port: server.port)
    }

    deinit {
        server.stop()
    }

    /// The number of requests that the transport was given.
    var sent: Int { transport.sent }

    /// Lets the next requests fail.
    func fail(_ codes: RequestError.Code..., in phase: RequestError.Phase = .connect) {
        transport.fail(codes, in: phase)
    }

    /// Calls a function with each request that the transport is given, before it fails or is sent.
    func onSend(_ act: @escaping @Sendable () -> Void) {
        transport.onSend(act)
    }

    var url: URL { URL(string: "http://api.example.com:\(server.port)")! }

    /// A client whose calls wait for a network for up to 30 seconds.
    func client(_ change: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        Client(baseURL: url) { configure(&$0, change) }
    }

    func configure(_ configuration: inout Client.Configuration, _ change: (inout Client.Configuration) -> Void) {
        configuration.transport = transport
        configuration.timeouts = .patient
        configuration.clock = clock
        configuration.connectivity = network
        configuration.waitsForConnectivity = .seconds(30)
        change(&configuration)
    }

    func text(_ client: Client, _ path: String = "/a") -> Fetch<String> { Fetch(.get(path), of: client) }
}

extension AnyCall {
    /// Returns once the call waits for a network.
    func waitsForNetwork() async {
        while state != .waitingForConnectivity { await Task.yield() }
    }
}

/// A transport that sends the requests for any host to a port of this device, or fails as it is told.
private struct RemoteTransport: Transport {
    private final class State: Sendable {
        let failures = Mutex<[(RequestError.Code, RequestError.Phase)]>([])
        let act = Mutex<(@Sendable () -> Void)?>(nil)
        let sent = Atomic(0)
    }

    let port: Int
    private let state = State()

    init(port: Int) {
        self.port = port
    }

    var sent: Int { state.sent.load(ordering: .relaxed) }

    func fail(_ codes: [RequestError.Code], in phase: RequestError.Phase) {
        state.failures.withLock { $0 += codes.map { ($0, phase) } }
    }

    func onSend(_ act: @escaping @Sendable () -> Void) {
        state.act.withLock { $0 = act }
    }

    var capabilities: TransportCapabilities { DefaultTransport.shared.capabilities }

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        state.sent.add(1, ordering: .relaxed)
        state.act.withLock { $0 }?()
        if let (code, phase) = state.failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            completion { throw RequestError(code, phase: phase, detail: "scripted", request: request) }
            return TransportTask {}
        }
        var sent = request
        var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)!
        parts.host = "127.0.0.1"
        parts.port = port
        sent.url = parts.url!
        return DefaultTransport.shared.start(sent, options: options, completion: completion)
    }

    func shutdown() async {}
}
