#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes a value of what a server says about an error, so that ``RequestError/payload(as:)`` has it.
///
/// It runs when a response was refused, by its status or by another rule. A body that is not of the expected form
/// leaves the error as it is.
///
/// ```swift
/// struct APIError: Decodable, Sendable {
///     let reason: String
/// }
/// let serializer = ErrorSerializer.json(APIError.self) { $0.reason }
/// ```
public struct ErrorSerializer: Sendable {
    private struct Result {
        let payload: any Sendable
        let message: String?
    }

    private let make: @Sendable (HTTPResponse, SerializationContext) throws -> Result?

    /// Makes the payload with a function of one's own; nil where there is none.
    ///
    /// The second function takes what is meant for the user from it, which becomes ``RequestError/message``.
    public init<Payload: Sendable>(
        _ payload: @escaping @Sendable (HTTPResponse) throws -> Payload?,
        message: @escaping @Sendable (Payload) -> String? = { _ in nil }
    ) {
        make = { response, _ in try payload(response).map { Result(payload: $0, message: message($0)) } }
    }

    /// JSON, with the decoder of the client or one of one's own, from the top of the body or a place in it.
    public static func json<Payload: Decodable & Sendable>(
        _ type: Payload.Type, at path: JSONPath = "", decoder: JSONDecoder? = nil,
        message: @escaping @Sendable (Payload) -> String? = { _ in nil }
    ) -> ErrorSerializer {
        ErrorSerializer { response, context in
            let payload = try response.decodeJSON(type, at: path, with: decoder ?? context.json.decoder)
            return Result(payload: payload, message: message(payload))
        }
    }

    private init(make: @escaping @Sendable (HTTPResponse, SerializationContext) throws -> Result?) {
        self.make = make
    }

    /// The error with the payload of its response, and with what that says to the user unless something was said
    /// before.
    public func refine(
        _ error: RequestError, context: SerializationContext = SerializationContext()
    ) -> RequestError {
        guard let response = error.response, !response.isStreaming, !response.hasBlankBody,
            let result = try? make(response, context)
        else { return error }
        var refined = error
        refined.payload = result.payload
        refined.userMessage = error.userMessage ?? result.message
        return refined
    }
}
