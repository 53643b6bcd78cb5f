/// The properties of a request that its run needs, read once on the thread that starts it.
struct Plan<Output: Sendable>: Sendable {
    let common: CommonPlan
    let decoder: OutputDecoder<Output>
    let callbackScheduler: Scheduler
}

/// The part of a plan that does not depend on the output.
///
/// The values are in one object, because all parts of a run read them, and a copy would retain some thirty objects. Another plan
/// is a copy with changes: see ``changed(_:)``.
@dynamicMemberLookup
package final class CommonPlan: Sendable {
    /// The settings by which a request is sent, and which interceptors see. Calls share a transfer only if theirs are equal, so
    /// each setting that is added here is part of the key.
    package struct Settings: Equatable, Sendable {
        package let identity: Identity
        let labels: CallLabels
        package var delivery: TransportOptions.Delivery
        /// The limits, without ``Values/total``.
        package let timeouts: Timeouts
        package let redirectPolicy: RedirectPolicy
        let retryPolicy: RetryPolicy
        let retryBuckets: RetryBuckets
        let waitsForConnectivity: Duration?
        package let networks: NetworkKinds
        var trust: ServerTrust
        let cachePolicy: CachePolicy
        /// A Boolean value that indicates whether the caller wants the cached output and then a newer one.
        let follows: Bool
        /// The parts of the key in the HTTP cache that the request declares; nil if it declares none.
        var httpKey: DeclaredKey?

        var identifier: String? { labels.identifier }
        package var tags: Set<String> { labels.tags }
    }

    package struct Values: Sendable {
        var settings: Settings
        /// Nil if the policy is not a declared one, or the client has no store.
        var caching: CachePlan?
        var requestType: Any.Type
        /// The form of the serializer, if it can be compared.
        let form: SerializerForm?
        package var validation: Validation
        var errorSerializer: ErrorSerializer?
        package var uniqueness: Uniqueness
        let priority: CallPriority
        /// A Boolean value that indicates whether the request certainly goes to the server of the base URL.
        package var isBelowBase: Bool
        /// The declared endpoint. It has no meaning beside a raw message.
        var endpoint: Endpoint
        var headers: Headers
        let queryStyle: QueryStyle
        /// A message that is sent as it is, instead of one for the endpoint: the raw door.
        var raw: HTTPRequest?
        /// The limit for the whole call.
        let total: Duration?
        let observers: [any CallObserver]
        /// The error of a request that cannot have an output, so that it is not sent.
        let refusal: (any Error)?
        /// The check of the output's isolation before the request is sent, which is not made on the main thread.
        let isolation: DecodingIsolation?
        /// Fields that the serializer adds. They replace those of the client, and the request replaces them.
        let addedHeaders: Headers
        /// The values that the outputs of the request redact; nil for those of ``Redaction/standard``.
        package var redaction: Redaction?
        /// The addition of the request's class, such as the file of a download; nil for most.
        package let feature: (any RequestFeature)?
        /// The rule for a call whose application leaves the foreground.
        var backgroundPolicy: BackgroundPolicy
        /// The maker of the transfer in place of the client's transport; nil for a call of this process.
        let carrier: (any CallCarrier)?
    }

    package let client: Client
    private let values: Values

    init(_ client: Client, _ values: Values) {
        self.client = client
        self.values = values
    }

    @inline(__always)
    package subscript<Value>(dynamicMember path: KeyPath<Values, Value>) -> Value { values[keyPath: path] }

    @inline(__always)
    package subscript<Value>(dynamicMember path: KeyPath<Settings, Value>) -> Value { values.settings[keyPath: path] }

    /// Returns a copy with changes.
    func changed(_ change: (inout Values) -> Void) -> CommonPlan {
        var values = values
        change(&values)
        return CommonPlan(client, values)
    }

    /// A Boolean value that indicates whether the user of the call is still signed in.
    package var isUserSignedIn: Bool { client.identity.isCurrent(self.identity) }

    /// A Boolean value that indicates whether the call asks for time to finish.
    var needsBackgroundTime: Bool { self.backgroundPolicy != .suspend && self.carrier == nil }

    /// A Boolean value that indicates whether the message has no body to encode.
    var isQuick: Bool {
        if let raw = self.raw { raw.body.isNone } else { self.endpoint.body.isNone }
    }

    var method: HTTPMethod {
        if let raw = self.raw { raw.method } else { self.endpoint.method }
    }

    /// Returns whether a response may show that something has changed on the server.
    func mayHaveChanges(_ response: HTTPResponse) -> Bool {
        !response.source.isCache && (!method.isSafe || response.headers.contains("Clear-Site-Data"))
    }

    /// Returns a text such as a URL or a part of it, without secrets.
    private func redact(_ reference: some StringProtocol) -> String {
        let redaction = self.redaction ?? .standard
        return redaction.mayRedact(reference) ? redaction.redact(reference: String(reference)) : String(reference)
    }

    package var name: String {
        if let identifier = self.identifier { return identifier }
        if let raw = self.raw { return "\(raw.method) \(redact(raw.url.path))" }
        // The query, and a password in a whole URL, may be secret.
        return "\(self.endpoint.method) \(redact(self.endpoint.path.prefix { $0 != "?" && $0 != "#" }))"
    }

    /// The type of the request, if it is a class of the application.
    package var declaration: String? {
        self.requestType is any InlineRequest.Type || self.requestType == HTTPRequest.self ? nil : "\(self.requestType)"
    }

    /// The name of the request in reports: its type, its method and its URL without secrets.
    var origin: String { declaration.map { "\($0), \(line)" } ?? line }

    /// The method and the URL, without secrets.
    package var line: String {
        if let raw = self.raw { return "\(raw.method) \(redact(raw.url.absoluteString))" }
        return "\(self.endpoint.method) " + redact((try? url(of: self.endpoint))?.absoluteString ?? self.endpoint.path)
    }

    /// Returns an error with the type of the request, and with its redaction.
    func naming(_ error: any Error) -> any Error {
        guard var error = error as? RequestError else { return error }
        if error.declaration == nil { error.declaration = declaration }
        if let redaction = self.redaction {
            if error.redaction == .standard { error.redaction = redaction }
            if error.request?.ownRedaction == nil { error.request?.ownRedaction = redaction }
        }
        return error
    }

    /// Returns a request with the redaction of the plan, unless it has one.
    func redacting(_ request: HTTPRequest) -> HTTPRequest {
        guard request.ownRedaction == nil, let redaction = self.redaction else { return request }
        var request = request
        request.ownRedaction = redaction
        return request
    }

    private func encoding(_ body: Body, for request: HTTPRequest) throws -> HTTPRequest {
        var request = request
        do {
            try request.encode(body, with: client.configuration.json)
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
        if self.isBelowBase, let server = client.server { return server }
        return (try? self.raw?.url ?? url(of: self.endpoint)).flatMap { try? ServerAddress($0) }
    }

    /// The rules of trust for an attempt. A client certificate is a credential: a server that gets no others gets none.
    func trustRules(for request: HTTPRequest) -> ServerTrust {
        let trust = self.trust
        guard let others = trust.forOtherOrigins, !client.originRule.allowsCredentials(for: request.url) else {
            return trust
        }
        // The rules of a request are meant for the server that it names. So are those of a client that names no server.
        let isOwn = trust != client.configuration.trust || !client.originRule.hasOrigins
        if isOwn, let declared = try? message().url, Origin(declared) == Origin(request.url) { return trust }
        return others
    }

    private func url(of endpoint: Endpoint) throws -> URL {
        do {
            let query = try endpoint.query.encoded(self.queryStyle)
            return try client.plainBase?.url(path: endpoint.path, query: query)
                ?? RequestURL.make(
                    base: client.baseURL, path: endpoint.path, query: endpoint.query, style: self.queryStyle)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        }
    }

    /// The headers of the client that may be sent to the URL of an endpoint.
    private func clientHeaders(at url: URL) -> Headers {
        self.isBelowBase || client.originRule.allowsCredentials(for: url)
            ? client.headers : client.plainHeaders
    }

    /// The name that calls of one kind have in common; nil if the request has no URL, for which it fails later.
    var uniqueName: String? {
        if let identifier = self.identifier { return identifier }
        if let raw = self.raw { return "\(raw.method) \(raw.url.absoluteString)" }
        return (try? url(of: self.endpoint)).map { "\(self.endpoint.method) \($0.absoluteString)" }
    }

    /// Returns the plan for a message that is sent as it is, alone.
    func sending(_ message: HTTPRequest) -> CommonPlan {
        changed {
            $0.raw = message
            $0.isBelowBase = false
            $0.uniqueness = .allow
        }
    }

    /// Returns the plan for another page of the same list.
    ///
    /// - Parameter keepingCredentials: Pass false to remove the client certificate and the headers of the request that hold
    ///   credentials.
    func page(_ endpoint: Endpoint, keepingCredentials: Bool) -> CommonPlan {
        if isMessage { return self }
        // A key that the request declares is that of its first page.
        let address = "\(endpoint.method) \((try? url(of: endpoint))?.absoluteString ?? endpoint.path)"
        return changed {
            $0.endpoint = endpoint
            $0.isBelowBase = endpoint.isBelowBase
            $0.uniqueness = self.uniqueness.withoutDelay
            if !keepingCredentials {
                $0.headers = self.headers.withoutCredentials(self.redaction)
                $0.endpoint.headers = endpoint.headers.withoutCredentials(self.redaction)
                $0.settings.trust = self.trust.forOtherOrigins ?? self.trust
            }
            if !endpoint.secrets.isEmpty { $0.redaction = (self.redaction ?? .standard).adding(endpoint.secrets) }
            $0.caching = self.caching?.page(address)
            $0.settings.httpKey = self.httpKey.map { DeclaredKey(schema: $0.schema, own: $0.own?.page(address)) }
        }
    }

    /// Runs a function whose errors the request refines by its ``Request/errorSerializer``.
    func refining<Result>(_ make: (SerializationContext) throws -> Result) throws -> Result {
        let context = SerializationContext(json: client.configuration.json)
        do {
            return try make(context)
        } catch let error as RequestError {
            throw self.errorSerializer?.refine(error, context: context) ?? error
        }
    }

    /// Throws an error unless the response counts as a success.
    func validate(_ response: HTTPResponse) throws {
        try refining { context in try self.validation.check(response, context: context) }
    }

    /// Returns the message of the plan. It encodes the body, so it should not run on a thread of the user.
    func message() throws -> HTTPRequest {
        if let refusal = self.refusal { throw refusal }
        if let problem = client.originRule.problem { throw RequestError(.badURL, phase: .prepare, detail: problem) }
        if let raw = self.raw { return try encoding(raw.body, for: redacting(raw)) }
        guard self.endpoint.isDeclared else {
            throw RequestError(
                .noEndpoint, phase: .prepare,
                detail: "\(self.requestType) has no endpoint: override `endpoint`, as in "
                    + "`override var endpoint: Endpoint { .get(\"/users\") }`")
        }
        let url = try url(of: self.endpoint)
        var all = clientHeaders(at: url)
        if !self.addedHeaders.isEmpty { all.merge(self.addedHeaders) }
        if !self.headers.isEmpty {
            #if DEBUG
                CredentialReports.report(self.headers, of: self.requestType, to: url, client.originRule)
            #endif
            all.merge(self.headers)
        }
        if !self.endpoint.headers.isEmpty { all.merge(self.endpoint.headers) }
        let request = HTTPRequest(method: self.endpoint.method, url: url, headers: all)
        return try encoding(self.endpoint.body, for: redacting(request))
    }
}

/// A request that is written at its call, without a class of the application.
package protocol InlineRequest {}

/// The words by which a call can be found. They are compared by bytes, because interceptors may send them.
package struct CallLabels: Equatable, Sendable {
    let identifier: String?
    package let tags: Set<String>

    package static func == (one: CallLabels, other: CallLabels) -> Bool {
        one.identifier.hasSameBytes(as: other.identifier)
            && (one.tags.isEmpty && other.tags.isEmpty
                || Set(one.tags.map(ExactString.init)) == Set(other.tags.map(ExactString.init)))
    }
}
