/// The source of the response to a request.
enum Responder: Sendable {
    case prepared(PreparedResponse)
    case handler(@Sendable (RecordedRequest) throws -> Response)
    case task(@Sendable (RecordedRequest) async throws -> Response)
}
