/// Signs requests, so that a server can check who has sent them and that they were not changed.
///
/// ``SigningInterceptor`` calls it for each attempt. ``AWSSignature`` and ``HMACSignature`` are signers of the library.
///
/// ```swift
/// struct Sealed: Signer {
///     func signed(_ request: HTTPRequest, at date: Date) async throws -> HTTPRequest {
///         var request = request
///         request.headers["X-Seal"] = seal(of: request.url.path(), at: date)
///         return request
///     }
/// }
/// ```
public protocol Signer: Sendable {
    /// Returns the request with its signature. A retry passes the request without the signature of the attempt before.
    ///
    /// - Parameters:
    ///   - request: The request as it is about to be sent.
    ///   - date: The time of day, as the client has it: see `Client.Configuration.now`.
    func signed(_ request: HTTPRequest, at date: Date) async throws -> HTTPRequest
}

/// Signs each attempt, over its final bytes: a retry and each hop of a redirect get a signature of their own.
///
/// Add it as the last of `Client.Configuration.attemptInterceptors`, so that no other interceptor changes the request
/// after it.
///
/// ```swift
/// let client = Client(baseURL: URL(string: "https://queue.example.com")) {
///     $0.attemptInterceptors = [SigningInterceptor(HMACSignature(key: key, keyID: "app-1"))]
/// }
/// ```
///
/// By default, it signs requests for the origin of the client and for `Client.Configuration.trustedOrigins`. If you name
/// services, it signs requests for those and no others.
public struct SigningInterceptor: Interceptor {
    private let signer: any Signer
    private let services: [ServicePattern]?

    /// Creates an interceptor that signs requests for the origins that the client trusts.
    public init(_ signer: any Signer) {
        self.signer = signer
        services = nil
    }

    /// Creates an interceptor that signs requests for these services.
    public init(_ signer: any Signer, for services: [ServicePattern]) {
        self.signer = signer
        self.services = services
    }

    public func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        if let problem = services?.lazy.compactMap(\.problem).first {
            throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request)
        }
        let isWanted = services?.contains { $0.matches(request.url) } ?? context.allowsCredentials(for: request.url)
        guard isWanted else { return try await next(request) }
        do {
            return try await next(signer.signed(request, at: context.client.wallTime.now))
        } catch let error as MissingHash {
            throw RequestError(.unsupported, phase: .prepare, detail: error.text, request: request)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        }
    }
}

extension RequestError {
    /// The error for a body that a signer cannot read before it is sent.
    static func unsignable(_ request: HTTPRequest, _ advice: String) -> RequestError {
        RequestError(
            .badBody, phase: .prepare,
            detail: "the body is a stream, whose bytes are not known when the request is signed: \(advice)",
            request: request)
    }
}
