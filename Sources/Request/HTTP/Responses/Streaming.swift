/// The settings that the serializer of a streamed body gives its request.
struct Streaming: Sendable {
    /// Fields that are added to the request. They replace those of the client, and the request replaces them.
    var headers: Headers = [:]
    /// The content types that are accepted; all if empty.
    var contentTypes: [String] = []
    /// A time in place of ``Timeouts/idle``; nil to leave that.
    var idle: Idle?
    /// A Boolean value that indicates whether the HTTP cache may serve and store the response.
    var isCached = true

    /// The longest time without a byte; nil for no limit.
    struct Idle: Sendable {
        let limit: Duration?
    }
}
