/// The properties of a request that its run needs, read once on the thread that starts it.
struct Plan<Output: Sendable>: Sendable {
    let common: CommonPlan
    let decoder: OutputDecoder<Output>
    let callbackScheduler: Scheduler
}

/// The part of a plan that does not depend on the output.
///
/// It is an object, because all parts of a run read it, and a copy of it would retain some thirty objects.
package final class CommonPlan: Sendable {
    // What the end of a call reads comes first and is together: it is mostly in no cache of the processor.
    package let client: Client
    /// Nil if the policy is not a declared one, or the client has no store.
    let caching: CachePlan?
    let requestType: Any.Type
    /// The form of the serializer, if it can be compared.
    let form: SerializerForm?
    package let validation: Validation
    let errorSerializer: ErrorSerializer?
    package let delivery: TransportOptions.Delivery
    package let uniqueness: Uniqueness
    let priority: CallPriority
    /// A Boolean value that indicates whether the caller wants the cached output and then a newer one.
    let follows: Bool
    /// A Boolean value that indicates whether the request certainly goes to the server of the base URL.
    package let isBelowBase: Bool
    let cachePolicy: CachePolicy
    /// The declared endpoint. It has no meaning beside a raw message.
    let endpoint: Endpoint
    let headers: Headers
    let queryStyle: QueryStyle
    /// A message that is sent as it is, instead of one for the endpoint: the raw door.
    let raw: HTTPRequest?
    package let identity: Identity
    package let timeouts: Timeouts
    package let redirectPolicy: RedirectPolicy
    let retryPolicy: RetryPolicy
    let retryBudget: RetryBudget
    let waitsForConnectivity: Duration?
    let trust: ServerTrust
    let observers: [any CallObserver]
    let tags: Set<String>
    let identifier: String?
    /// The error of a request that cannot have an output, so that it is not sent.
    let refusal: (any Error)?
    /// A check before the request is sent, which is not run on the main thread.
    let check: (@Sendable () throws -> Void)?
    /// The parts of the key in the HTTP cache that the request declares; nil if it declares none.
    let httpKey: DeclaredKey?
    /// Fields that the serializer adds. They replace those of the client, and the request replaces them.
    let addedHeaders: Headers
    /// The values that the outputs of the request redact; nil for those of ``Redaction/standard``.
    package let redaction: Redaction?
    /// The addition of the request's class, such as the file of a download; nil for most.
    package let feature: (any RequestFeature)?
    /// The rule for a call whose application leaves the foreground.
    let backgroundPolicy: BackgroundPolicy
    /// The maker of the transfer in place of the client's transport; nil for a call of this process.
    let carrier: (any CallCarrier)?

    init(
        client: Client, identity: Identity, cachePolicy: CachePolicy, caching: CachePlan?, endpoint: Endpoint,
        headers: Headers, queryStyle: QueryStyle, raw: HTTPRequest? = nil, errorSerializer: ErrorSerializer?,
        validation: Validation, uniqueness: Uniqueness, timeouts: Timeouts,
        priority: CallPriority, redirectPolicy: RedirectPolicy, retryPolicy: RetryPolicy,
        retryBudget: RetryBudget,
        waitsForConnectivity: Duration?, trust: ServerTrust, delivery: TransportOptions.Delivery,
        observers: [any CallObserver], tags: Set<String>, identifier: String?, requestType: Any.Type,
        refusal: (any Error)?, check: (@Sendable () throws -> Void)?, form: SerializerForm?, follows: Bool = false,
        httpKey: DeclaredKey? = nil, addedHeaders: Headers = [:], isBelowBase: Bool = false, redaction: Redaction?,
        feature: (any RequestFeature)? = nil, backgroundPolicy: BackgroundPolicy = .suspend,
        carrier: (any CallCarrier)? = nil
    ) {
        self.client = client
        self.identity = identity
        self.cachePolicy = cachePolicy
        self.caching = caching
        self.endpoint = endpoint
        self.headers = headers
        self.queryStyle = queryStyle
        self.raw = raw
        self.errorSerializer = errorSerializer
        self.validation = validation
        self.uniqueness = uniqueness
        self.timeouts = timeouts
        self.priority = priority
        self.redirectPolicy = redirectPolicy
        self.retryPolicy = retryPolicy
        self.retryBudget = retryBudget
        self.waitsForConnectivity = waitsForConnectivity
        self.trust = trust
        self.delivery = delivery
        self.observers = observers
        self.tags = tags
        self.identifier = identifier
        self.requestType = requestType
        self.refusal = refusal
        self.check = check
        self.form = form
        self.follows = follows
        self.httpKey = httpKey
        self.addedHeaders = addedHeaders
        self.isBelowBase = isBelowBase
        self.redaction = redaction
        self.feature = feature
        self.backgroundPolicy = backgroundPolicy
        self.carrier = carrier
    }

    /// Creates the plan of another message of the same request.
    private convenience init(
        _ plan: CommonPlan, endpoint: Endpoint, headers: Headers, raw: HTTPRequest? = nil, isBelowBase: Bool,
        uniqueness: Uniqueness, caching: CachePlan?, httpKey: DeclaredKey?
    ) {
        self.init(
            client: plan.client, identity: plan.identity, cachePolicy: plan.cachePolicy, caching: caching,
            endpoint: endpoint, headers: headers, queryStyle: plan.queryStyle, raw: raw,
            errorSerializer: plan.errorSerializer, validation: plan.validation,
            uniqueness: uniqueness, timeouts: plan.timeouts, priority: plan.priority,
            redirectPolicy: plan.redirectPolicy, retryPolicy: plan.retryPolicy,
            retryBudget: plan.retryBudget,
            waitsForConnectivity: plan.waitsForConnectivity, trust: plan.trust, delivery: plan.delivery,
            observers: plan.observers, tags: plan.tags, identifier: plan.identifier, requestType: plan.requestType,
            refusal: plan.refusal, check: plan.check, form: plan.form, follows: plan.follows, httpKey: httpKey,
            addedHeaders: plan.addedHeaders, isBelowBase: isBelowBase, redaction: plan.redaction,
            feature: plan.feature, backgroundPolicy: plan.backgroundPolicy, carrier: plan.carrier)
    }

    /// A Boolean value that indicates whether the user of the call is still signed in.
    package var isUserSignedIn: Bool { client.identity.isCurrent(identity) }

    /// A Boolean value that indicates whether the call asks for time to finish.
    var needsBackgroundTime: Bool { backgroundPolicy != .suspend && carrier == nil }

    /// A Boolean value that indicates whether the message has no body to encode.
    var isQuick: Bool {
        if let raw { raw.body.isNone } else { endpoint.body.isNone }
    }

    /// Returns a text such as a URL or a part of it, without secrets.
    private func redact(_ reference: some StringProtocol) -> String {
        (redaction ?? .standard).redact(reference: String(reference))
    }

    package var name: String {
        if let identifier { return identifier }
        if let raw { return "\(raw.method) \(redact(raw.url.path))" }
        // The query, and a password in a whole URL, may be secret.
        return "\(endpoint.method) \(redact(endpoint.path.prefix { $0 != "?" && $0 != "#" }))"
    }

    /// The type of the request, if it is a class of the application.
    package var declaration: String? {
        requestType is any InlineRequest.Type || requestType == HTTPRequest.self ? nil : "\(requestType)"
    }

    /// The name of the request in reports: its type, its method and its URL without secrets.
    var origin: String { declaration.map { "\($0), \(line)" } ?? line }

    /// The method and the URL, without secrets.
    package var line: String {
        if let raw { return "\(raw.method) \(redact(raw.url.absoluteString))" }
        return "\(endpoint.method) " + redact((try? url(of: endpoint))?.absoluteString ?? endpoint.path)
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

    /// The server of the message, before interceptors may change it; nil if the message has no valid URL.
    var server: ServerAddress? {
        if isBelowBase, let server = client.server { return server }
        return (try? raw?.url ?? url(of: endpoint)).flatMap { try? ServerAddress($0) }
    }

    private func url(of endpoint: Endpoint) throws -> URL {
        do {
            let query = try endpoint.query.encoded(queryStyle)
            return try client.plainBase?.url(path: endpoint.path, query: query)
                ?? RequestURL.make(
                    base: client.baseURL, path: endpoint.path, query: endpoint.query, style: queryStyle)
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
        if let raw { return "\(raw.method) \(raw.url.absoluteString)" }
        return (try? url(of: endpoint)).map { "\(endpoint.method) \($0.absoluteString)" }
    }

    /// Returns the plan for a message that is sent as it is, alone.
    func sending(_ message: HTTPRequest) -> CommonPlan {
        CommonPlan(
            self, endpoint: endpoint, headers: headers, raw: message, isBelowBase: false, uniqueness: .allow,
            caching: caching, httpKey: httpKey)
    }

    /// Returns the plan for another page of the same list.
    ///
    /// - Parameter keepingCredentials: Pass false to remove the headers of the request that hold credentials.
    func page(_ endpoint: Endpoint, keepingCredentials: Bool) -> CommonPlan {
        if isMessage { return self }
        var headers = headers
        var endpoint = endpoint
        if !keepingCredentials {
            headers = headers.withoutCredentials(redaction)
            endpoint.headers = endpoint.headers.withoutCredentials(redaction)
        }
        // A key that the request declares is that of its first page.
        let address = "\(endpoint.method) \((try? url(of: endpoint))?.absoluteString ?? endpoint.path)"
        return CommonPlan(
            self, endpoint: endpoint, headers: headers, isBelowBase: endpoint.isBelowBase, uniqueness: uniqueness,
            caching: caching?.page(address),
            httpKey: httpKey.map { DeclaredKey(schema: $0.schema, own: $0.own?.page(address)) })
    }

    /// Returns the message of the plan. It encodes the body, so it should not run on a thread of the user.
    func message() throws -> HTTPRequest {
        if let refusal { throw refusal }
        if let problem = client.originRule.problem { throw RequestError(.badURL, phase: .prepare, detail: problem) }
        if let raw { return try encoding(raw.body, for: redacting(raw)) }
        guard endpoint.isDeclared else {
            throw RequestError(
                .noEndpoint, phase: .prepare,
                detail: "\(requestType) has no endpoint: override `endpoint`, as in "
                    + "`override var endpoint: Endpoint { .get(\"/users\") }`")
        }
        let url = try url(of: endpoint)
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

/// A request that is written at its call, without a class of the application.
protocol InlineRequest {}
