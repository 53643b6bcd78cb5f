import TangoPromise

@testable import TangoRequest

/// The response of a request that a test hands to a transport without `send`.
struct Arrival: Sendable {
    private let promise: Promise<HTTPResponse>
    /// Delivers the response as ``response``.
    let completion: TransportCompletion

    init() {
        let (promise, resolver) = Promise<HTTPResponse>.pending()
        self.promise = promise
        completion = { response in
            do {
                resolver.fulfill(try response())
            } catch {
                resolver.reject(error)
            }
        }
    }

    var response: HTTPResponse {
        get async throws { try await promise.value }
    }
}
