import TangoPromise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// All that a run needs to know of its request, read once on the thread that starts it.
struct Plan<Output: Sendable>: Sendable {
    let common: CommonPlan
    let serializer: Serializer<Output>
    let callbackScheduler: Scheduler

    init(common: CommonPlan, serializer: Serializer<Output>, callbackScheduler: Scheduler) {
        self.common = common
        self.serializer = serializer
        self.callbackScheduler = callbackScheduler
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
    let cachePolicy: CachePolicy
    /// Nil where nothing is kept at the call.
    let caching: CachePlan?
    private(set) var target: Target
    let errorSerializer: ErrorSerializer?
    let validation: Validation
    private(set) var uniqueness: Uniqueness
    let timeouts: Timeouts
    let trust: ServerTrust
    let delivery: TransportOptions.Delivery
    let observers: [any CallObserver]
    let tags: Set<String>
    let identifier: String?
    let requestType: Any.Type
    /// Whether requests of this type make the same of a response.
    var sharesOutput: Bool { !(requestType is any DeclaredOnTheSpot.Type) }
    /// Why nothing can come of the response, which need not be fetched then.
    let refusal: (any Error)?
    /// What has to be checked before anything is sent, on another thread than the main one.
    let check: (@Sendable () throws -> Void)?
    /// What is made of a response, where that can be compared.
    let form: SerializerForm?
    /// Whether somebody wants both what is kept and what is new.
    var follows = false
    /// The parts of the key in the HTTP cache that the request declares; nil if it declares none.
    var httpKey: DeclaredKey?

    /// Whether the message can be made without work worth mentioning.
    var isQuick: Bool {
        switch target {
        case .endpoint(let endpoint, _, _): endpoint.body.isNone
        case .message(let request): request.body.isNone
        }
    }

    var name: String {
        if let identifier { return identifier }
        return switch target {
        case .endpoint(let endpoint, _, _):
            // Not what may be secret: the query, and a password in a whole URL.
            "\(endpoint.method) \(Redaction.standard.redact(reference: String(endpoint.path.prefix { $0 != "?" && $0 != "#" })))"
        case .message(let request): "\(request.method) \(request.url.path)"
        }
    }

    /// The type of the request, if it is a class of the application's.
    private var declaration: String? {
        requestType is any DeclaredOnTheSpot.Type || requestType == HTTPRequest.self ? nil : "\(requestType)"
    }

    /// The request as reports name it: its type, its method and its URL without secrets.
    var origin: String {
        let line: String =
            switch target {
            case .endpoint(let endpoint, _, let style):
                "\(endpoint.method) "
                    + ((try? url(of: endpoint, style)).map { Redaction.standard.redact($0) }
                        ?? Redaction.standard.redact(reference: endpoint.path))
            case .message(let request): "\(request.method) \(Redaction.standard.redact(request.url))"
            }
        return declaration.map { "\($0), \(line)" } ?? line
    }

    /// An error with the type of the request that it happened to.
    func naming(_ error: any Error) -> any Error {
        guard var error = error as? RequestError, error.declaration == nil else { return error }
        error.declaration = declaration
        return error
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
    private func clientHeaders(for endpoint: Endpoint, at url: URL) -> Headers {
        // A path that begins with a slash is below the base URL. Others may be whole URLs.
        let isBelowBase = endpoint.path.utf8.first == UInt8(ascii: "/")
        return isBelowBase || client.originRule.allowsCredentials(for: url)
            ? client.configuration.headers : client.plainHeaders
    }

    /// What calls of its kind have in common; nil where the request has no URL, which it will fail for anyway.
    var uniqueName: String? {
        if let identifier { return identifier }
        return switch target {
        case .endpoint(let endpoint, _, let style):
            (try? url(of: endpoint, style)).map { "\(endpoint.method) \($0.absoluteString)" }
        case .message(let message): "\(message.method) \(message.url.absoluteString)"
        }
    }

    /// The same for a message that is ready, and goes its own way.
    func sending(_ message: HTTPRequest) -> CommonPlan {
        var plan = self
        plan.target = .message(message)
        plan.uniqueness = .allow
        return plan
    }

    /// The message that the plan stands for. Encodes its body, so that no thread of the user's should do it.
    func message() throws -> HTTPRequest {
        if let refusal { throw refusal }
        if let problem = client.originRule.problem { throw RequestError(.badURL, phase: .prepare, detail: problem) }
        switch target {
        case .message(let request):
            return try encoding(request.body, for: request)
        case .endpoint(let endpoint, let headers, let style):
            guard endpoint.isDeclared else {
                throw RequestError(
                    .noEndpoint, phase: .prepare,
                    detail: "\(requestType) has no endpoint: override `endpoint`, as in "
                        + "`override var endpoint: Endpoint { .get(\"/users\") }`")
            }
            let url = try url(of: endpoint, style)
            var all = clientHeaders(for: endpoint, at: url)
            #if DEBUG
                CredentialReports.report(headers, of: requestType, to: url, client.originRule)
            #endif
            if !headers.isEmpty { all.merge(headers) }
            if !endpoint.headers.isEmpty { all.merge(endpoint.headers) }
            return try encoding(endpoint.body, for: HTTPRequest(method: endpoint.method, url: url, headers: all))
        }
    }
}

/// Requests of one type that may make different things of a response.
protocol DeclaredOnTheSpot {}
