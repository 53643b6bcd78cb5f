import Foundation
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct ErrorSerializerTests {
    private struct APIError: Decodable, Equatable, Sendable {
        let reason: String
    }

    private func error(_ body: String) -> RequestError {
        RequestError(.badStatus, phase: .decode, detail: "", response: HTTPResponse(body, status: 422))
    }

    @Test func bodyIsDecodedAsThePayload() {
        let refined = ErrorSerializer.json(APIError.self).refine(error(#"{"reason":"taken"}"#))
        #expect(refined.payload(as: APIError.self) == APIError(reason: "taken"))
        #expect(refined.payload(as: String.self) == nil)
        #expect(refined.code == .badStatus)
        #expect(refined.userMessage == nil)
    }

    @Test func messageOfTheServerIsShownToTheUser() {
        let serializer = ErrorSerializer.json(APIError.self, at: "error") { $0.reason }
        var refined = serializer.refine(error(#"{"error":{"reason":"taken"}}"#))
        #expect(refined.message == "taken")
        var spoken = error(#"{"error":{"reason":"taken"}}"#)
        spoken.userMessage = "before"
        refined = serializer.refine(spoken)
        #expect(refined.message == "before")
    }

    @Test(arguments: ["", "<html>", "[]", #"{"other":1}"#])
    func otherBodiesLeaveTheErrorUnchanged(_ body: String) {
        let refined = ErrorSerializer.json(APIError.self).refine(error(body))
        #expect(refined.payload == nil)
        #expect(refined.code == .badStatus)
    }

    @Test func closureIsAnErrorSerializer() {
        let serializer = ErrorSerializer { response in
            response.headers["X-Reason"]
        } message: {
            "because of \($0)"
        }
        var error = error("x")
        #expect(serializer.refine(error).payload == nil)
        error.response?.headers["X-Reason"] = "rain"
        let refined = serializer.refine(error)
        #expect(refined.payload(as: String.self) == "rain")
        #expect(refined.message == "because of rain")
    }

    @Test func errorWithoutAResponseIsUnchanged() {
        let error = RequestError(.cannotConnect, phase: .connect, detail: "")
        #expect(ErrorSerializer.json(APIError.self).refine(error).payload == nil)
    }
}
