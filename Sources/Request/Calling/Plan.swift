import TangoPromise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The properties of a request that its run needs, read once on the thread that starts it.
struct Plan<Output: Sendable>: Sendable {
    let shared: SharedPlan
    let recipe: OutputRecipe<Output>
    let callbackScheduler: Scheduler

    var common: CommonPlan { shared.plan }

    init(common: consuming CommonPlan, recipe: OutputRecipe<Output>, callbackScheduler: Scheduler) {
        shared = SharedPlan(common)
        self.recipe = recipe
        self.callbackScheduler = callbackScheduler
    }
}

/// A plan that is passed on by reference, because each copy of a plan retains some thirty objects.
final class SharedPlan: Sendable {
    let plan: CommonPlan

    init(_ plan: consuming CommonPlan) {
        self.plan = plan
    }
}

/// The part of a plan that does not depend on the output.
struct CommonPlan: Sendable {
    enum Target: Sendable {
        case endpoint(Endpoint, Headers, QueryStyle)
        /// A message that is sent as it is: the raw door.
        case message(HTTPRequest)
    }

    let client: Client
    let identity: Identity
    let cachePolicy: CachePolicy
    /// Nil if the policy is not a declared one, or the client has no store.
    private(set) var caching: CachePlan?
    private(set) var target: Target
    let errorSerializer: ErrorSerializer?
    let validation: Validation
    private(set) var uniqueness: Uniqueness
    var timeouts: Timeouts
    let priority: CallPriority
    let redirectPolicy: RedirectPolicy
    let retryPolicy: RetryPolicy
    let waitsForConnectivity: Duration?
    let trust: ServerTrust
    let delivery: TransportOptions.Delivery
    let observers: [any CallObserver]
    let tags: Set<String>
    let identifier: String?
    let requestType: Any.Type
    /// A Boolean value that indicates whether requests of this type make the same output of a response.
    var sharesOutput: Bool { !(requestType is any DeclaredOnTheSpot.Type) }
    /// The error of a request that cannot have an output, so that it is not sent.
    let refusal: (any Error)?
    /// A check before the request is sent, which is not run on the main thread.
    let check: (@Sendable () throws -> Void)?
    /// The form of the serializer, if it can be compared.
    let form: SerializerForm?
    /// A Boolean value that indicates whether the caller wants the cached output and then a newer one.
    var follows = false
    /// The parts of the key in the HTTP cache that the request declares; nil if it declares none.
    var httpKey: DeclaredKey?
    /// Fields that the serializer adds. They replace those of the client, and the request replaces them.
    var addedHeaders: Headers = [:]
    /// A Boolean value that indicates whether the request certainly goes to the server of the base URL.
    var isBelowBase = false
    /// The values that the outputs of the request redact; nil for those of ``Redaction/standard``.
    var redaction: Redaction?

    /// The file to which the body is written; nil for all requests but a ``Download``.
    var download: DownloadPlan?

    /// The rule for a call whose application leaves the foreground.
    var backgroundPolicy = BackgroundPolicy.suspend
    /// The transfer by the system; nil for a call of this process.
    var background: BackgroundPlan?

    /// A Boolean value that indicates whether the call asks for time to finish.
    var needsBackgroundTime: Bool { backgroundPolicy != .suspend && background == nil }

    /// A Boolean value that indicates whether the message has no body to encode.
    var isQuick: Bool {
        switch target {
        case .endpoint(let endpoint, _, _): endpoint.body.isNone
        case .message(let request): request.body.isNone
        }
    }

    /// Returns a text such as a URL or a part of it, without secrets.
    private func redact(_ reference: some StringProtocol) -> String {
        (redaction ?? .standard).redact(reference: String(reference))
    }

    var name: String {
        if let identifier { return identifier }
        return switch target {
        case .endpoint(let endpoint, _, _):
            // The query, and a password in a whole URL, may be secret.
            "\(endpoint.method) \(redact(endpoint.path.prefix { $0 != "?" && $0 != "#" }))"
        case .message(let request): "\(request.method) \(redact(request.url.path))"
        }
    }

    /// The type of the request, if it is a class of the application.
    var declaration: String? {
        requestType is any DeclaredOnTheSpot.Type || requestType == HTTPRequest.self ? nil : "\(requestType)"
    }

    /// The name of the request in reports: its type, its method and its URL without secrets.
    var origin: String { declaration.map { "\($0), \(line)" } ?? line }

    /// The method and the URL, without secrets.
    var line: String {
        switch target {
        case .endpoint(let endpoint, _, let style):
            "\(endpoint.method) " + redact((try? url(of: endpoint, style))?.absoluteString ?? endpoint.path)
        case .message(let request): "\(request.method) \(redact(request.url.absoluteString))"
        }
    }

    /// Returns an error with the type of the request, and with its redaction.
    func naming(_ error: any Error) -> any Error {
        guard var error = error as? RequestError else { return error }
        if error.declaration == nil { error.declaration = declaration }
        if let redaction {
            if error.redaction == .standard { error.redaction = redaction }
            if error.request?.ownRedaction == nil { error.request?.ownRedaction = redaction }
        }
        return error
    }

    /// Returns a request with the redaction of the plan, unless it has one.
    func redacting(_ request: HTTPRequest) -> HTTPRequest {
        guard request.ownRedaction == nil, let redaction else { return request }
        var request = request
        request.ownRedaction = redaction
        return request
    }

    private func encoding(_ body: Body, for request: HTTPRequest) throws -> HTTPRequest {
        var request = request
        do {
            request.body = try body.encoded(with: client.configuration.json)
            // A method that expects no body has none rather than an empty one (RFC 9110, 8.6).
            if request.body.isNoBytes, !request.method.expectsBody { request.body = .none }
            return request
        } catch let error as RequestError {
            var error = error
            request.body = .none
            error.request = request
            throw error
        }
    }

    private func url(of endpoint: Endpoint, _ style: QueryStyle) throws -> URL {
        do {
            let query = try endpoint.query.encoded(style)
            return try client.plainBase?.url(path: endpoint.path, query: query)
                ?? RequestURL.make(base: client.baseURL, path: endpoint.path, query: endpoint.query, style: style)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        }
    }

    /// The headers of the client that may be sent to the URL of an endpoint.
    private func clientHeaders(at url: URL) -> Headers {
        isBelowBase || client.originRule.allowsCredentials(for: url)
            ? client.configuration.headers : client.plainHeaders
    }

    /// The name that calls of one kind have in common; nil if the request has no URL, for which it fails later.
    var uniqueName: String? {
        if let identifier { return identifier }
        return switch target {
        case .endpoint(let endpoint, _, let style):
            (try? url(of: endpoint, style)).map { "\(endpoint.method) \($0.absoluteString)" }
        case .message(let message): "\(message.method) \(message.url.absoluteString)"
        }
    }

    /// Returns the plan for a message that is sent as it is, alone.
    func sending(_ message: HTTPRequest) -> CommonPlan {
        var plan = self
        plan.target = .message(message)
        plan.isBelowBase = false
        plan.uniqueness = .allow
        return plan
    }

    /// Returns the plan for another page of the same list.
    ///
    /// - Parameter keepingCredentials: Pass false to remove the headers of the request that hold credentials.
    func page(_ endpoint: Endpoint, keepingCredentials: Bool) -> CommonPlan {
        guard case .endpoint(_, var headers, let style) = target else { return self }
        var endpoint = endpoint
        if !keepingCredentials {
            headers = headers.withoutCredentials(redaction)
            endpoint.headers = endpoint.headers.withoutCredentials(redaction)
        }
        var plan = self
        plan.target = .endpoint(endpoint, headers, style)
        plan.isBelowBase = endpoint.isBelowBase
        // A key that the request declares is that of its first page.
        let address = "\(endpoint.method) \((try? url(of: endpoint, style))?.absoluteString ?? endpoint.path)"
        plan.caching = caching?.page(address)
        if let key = httpKey { plan.httpKey = DeclaredKey(schema: key.schema, own: key.own?.page(address)) }
        return plan
    }

    /// Returns the message of the plan. It encodes the body, so it should not run on a thread of the user.
    func message() throws -> HTTPRequest {
        if let refusal { throw refusal }
        if let problem = client.originRule.problem { throw RequestError(.badURL, phase: .prepare, detail: problem) }
        switch target {
        case .message(let request):
            return try encoding(request.body, for: redacting(request))
        case .endpoint(let endpoint, let headers, let style):
            guard endpoint.isDeclared else {
                throw RequestError(
                    .noEndpoint, phase: .prepare,
                    detail: "\(requestType) has no endpoint: override `endpoint`, as in "
                        + "`override var endpoint: Endpoint { .get(\"/users\") }`")
            }
            let url = try url(of: endpoint, style)
            var all = clientHeaders(at: url)
            #if DEBUG
                CredentialReports.report(headers, of: requestType, to: url, client.originRule)
            #endif
            if !addedHeaders.isEmpty { all.merge(addedHeaders) }
            if !headers.isEmpty { all.merge(headers) }
            if !endpoint.headers.isEmpty { all.merge(endpoint.headers) }
            let request = HTTPRequest(method: endpoint.method, url: url, headers: all)
            return try encoding(endpoint.body, for: redacting(request))
        }
    }
}

/// A request type whose requests may make different outputs of a response.
protocol DeclaredOnTheSpot {}
