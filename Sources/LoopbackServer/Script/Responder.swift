/// The source of the response to a request.
enum Responder: Sendable {
    case prepared(PreparedAnswer)
    case handler(@Sendable (RecordedRequest) throws -> Answer)
    case task(@Sendable (RecordedRequest) async throws -> Answer)
}
