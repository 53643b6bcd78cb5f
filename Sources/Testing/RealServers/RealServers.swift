import Synchronization

/// The guard of tests against requests to real servers.
///
/// ```swift
/// @Suite struct BlogTests {
///     init() { RealServers.refuse() }
/// }
/// ```
///
/// A request to another host than this device then fails with `RequestError.Code.noStub` before anything is sent. Its error
/// names the mock that has a stub for the request. The guard is for the whole process: for each client, also one that
/// is created later, and for streams, downloads, background transfers, requests for tokens and refreshes of cached responses.
///
/// Requests to `localhost` and other addresses of this device are allowed. So are those to a Unix socket, to a host whose
/// `CurlConfiguration.addresses` are those of this device, and to names below `.invalid`, which have no address. Through a proxy,
/// also one of the environment, both the proxy and the host of the URL have to be allowed.
///
/// A ``MockTransport`` and an ``HARReplay`` send nothing, so the guard does not concern them. It does not see a transport of
/// your own.
///
/// **Threads.** Call it from any thread, as often as you like, such as in the `init` of each suite of tests.
public enum RealServers {
    private static let rules = Mutex(RealServerRules())

    /// Refuses requests to real servers from now on, for the rest of the process.
    ///
    /// - Parameter hosts: Hosts to which requests may be sent, such as `staging.example.com` or `*.example.com`. Several
    ///   calls add their hosts.
    public static func refuse(except hosts: String...) {
        change { $0.add(hosts) }
    }

    /// Refuses requests to real servers while a function runs.
    ///
    /// The guard and its exceptions are for the whole process also in this form: they concern other tests that run at the same
    /// time. Await in the function what it starts: a request that is sent after its end is not refused.
    ///
    /// - Parameters:
    ///   - hosts: Hosts to which requests may be sent, such as `staging.example.com` or `*.example.com`.
    ///   - body: The function.
    public static func refuse<Output, Failure: Error>(
        except hosts: String..., during body: () throws(Failure) -> Output
    ) throws(Failure) -> Output {
        let scope = change { $0.open(hosts) }
        defer { change { $0.close(scope) } }
        return try body()
    }

    /// Refuses requests to real servers while an async function runs: as the function for synchronous code.
    public static func refuse<Output, Failure: Error>(
        except hosts: String..., during body: () async throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        let scope = change { $0.open(hosts) }
        defer { change { $0.close(scope) } }
        return try await body()
    }

    @discardableResult
    private static func change<Result: Sendable>(_ body: (inout RealServerRules) -> Result) -> Result {
        rules.withLock { rules in
            let result = body(&rules)
            let check: ServerCheck.Check = { [rules] request, host, options in
                rules.refusal(of: request, to: host, options: options)
            }
            ServerCheck.set(rules.isActive ? check : nil)
            return result
        }
    }
}

extension RealServerRules {
    /// Returns the error of a request to a host that is not allowed, or nil.
    func refusal(of request: HTTPRequest, to host: String, options: TransportOptions) -> RequestError? {
        guard case .refused(let mistakes) = verdict(on: host) else { return nil }
        let stub = MockRegistry.stub(for: request, options.requestType)
        let text = RealServerText(host: host, stub: stub, mistakes: mistakes)
        return RequestError(.noStub, phase: .prepare, detail: text.detail, request: request)
    }
}
