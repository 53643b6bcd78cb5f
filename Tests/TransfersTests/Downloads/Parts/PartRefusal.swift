import Foundation
import LoopbackServer
import TangoRequest

@testable import TestSupport

/// Refuses all parts. When the body of a refusal is read, a gate opens.
struct PartRefusal: Interceptor {
    final class Opening: BodySource {
        let gate: Gate
        init(_ gate: Gate) { self.gate = gate }
        func next() async throws -> Data? {
            gate.open()
            return nil
        }
        func cancel() {}
        var ending: BodyStream.Ending? { nil }
    }

    let gate: Gate

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        guard request.headers["Range"] != nil else { return try await next(request) }
        var response = HTTPResponse("", status: 503)
        response.stream = BodyStream(Opening(gate))
        return response
    }
}
