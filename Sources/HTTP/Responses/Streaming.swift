/// The settings that the serializer of a streamed body gives its request.
package struct Streaming: Sendable {
    /// Fields that are added to the request. They replace those of the client, and the request replaces them.
    package var headers: Headers = [:]
    /// The content types that are accepted; all if empty.
    package var contentTypes: [String] = []
    /// A time in place of ``Timeouts/idle``; nil to leave that.
    package var idle: Idle?
    /// A Boolean value that indicates whether the HTTP cache may serve and store the response.
    package var isCached = true
    /// The reason why a setting of the serializer is invalid, and what to set; nil if all are valid.
    package var problem: String?

    package init(
        headers: Headers = [:], contentTypes: [String] = [], idle: Idle? = nil, isCached: Bool = true,
        problem: String? = nil
    ) {
        self.headers = headers
        self.contentTypes = contentTypes
        self.idle = idle
        self.isCached = isCached
        self.problem = problem
    }

    /// The longest time without a byte; nil for no limit.
    package struct Idle: Sendable {
        package let limit: Duration?

        package init(limit: Duration?) {
            self.limit = limit
        }
    }
}
