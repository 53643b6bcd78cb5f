/// Decodes the error body of a server for ``RequestError/payload(as:)``.
///
/// It runs when a response was refused because of its status or by another rule. If the body has another form, the
/// error has no payload.
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

    /// Creates an error serializer with two closures.
    ///
    /// - Parameters:
    ///   - payload: Returns the payload; nil if there is none.
    ///   - message: Returns the text of the payload for the user, which becomes ``RequestError/message``.
    public init<Payload: Sendable>(
        _ payload: @escaping @Sendable (HTTPResponse) throws -> Payload?,
        message: @escaping @Sendable (Payload) -> String? = { _ in nil }
    ) {
        make = { response, _ in try payload(response).map { Result(payload: $0, message: message($0)) } }
    }

    /// Creates an error serializer that decodes JSON, from the whole body or from a place in it.
    ///
    /// Without a `decoder`, it uses that of the client.
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

    /// Returns the error with the payload of its response. The message of the payload is used unless the error has one
    /// already.
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
