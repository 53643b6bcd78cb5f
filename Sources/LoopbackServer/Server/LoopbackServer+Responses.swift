extension LoopbackServer {
    // MARK: Routes

    /// Sets the response to requests for a path, with any query.
    ///
    /// A path that ends in `*` matches all paths that begin with the text before it. An exact path takes precedence
    /// over these, and a longer path over a shorter one. A later call for the same path and method replaces the route.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - method: The method, or nil for all. A route for GET also responds to HEAD.
    ///   - response: The response.
    public func answer(_ path: String, method: String? = nil, with response: Response) {
        set(.prepared(PreparedResponse(response)), path, method)
    }

    /// Sets a file as the response to requests for a path, with any method: the whole of it, or a range.
    public func answer(_ path: String, with entity: Entity) {
        set(.handler { request in entity.response(to: request) }, path, nil)
    }

    /// Sets a handler that returns the response to requests for a path. If it throws, the status is 500.
    ///
    /// The handler runs on the thread of the server, and must not block.
    public func answer(
        _ path: String, method: String? = nil, _ handler: @escaping @Sendable (RecordedRequest) throws -> Response
    ) {
        set(.handler(handler), path, method)
    }

    /// Sets a handler that returns the response to requests for a path, in a task of its own. If it throws, the status
    /// is 500.
    public func answer(
        _ path: String, method: String? = nil, _ handler: @escaping @Sendable (RecordedRequest) async throws -> Response
    ) {
        set(.task(handler), path, method)
    }

    private func set(_ responder: Responder, _ path: String, _ method: String?) {
        core.script.withLock { $0.add(path, method, responder) }
    }

    // MARK: Other requests

    /// Sets the response to all requests without a route. Without it, they get a 404.
    public func answer(with response: Response) {
        core.script.withLock { $0.fallback = .prepared(PreparedResponse(response)) }
    }

    /// Sets a handler that returns the response to all requests without a route. If it throws, the status is 500.
    ///
    /// The handler runs on the thread of the server, and must not block.
    public func answer(_ handler: @escaping @Sendable (RecordedRequest) throws -> Response) {
        core.script.withLock { $0.fallback = .handler(handler) }
    }

    /// Sets a handler that returns the response to all requests without a route, in a task of its own. If it throws,
    /// the status is 500.
    public func answer(_ handler: @escaping @Sendable (RecordedRequest) async throws -> Response) {
        core.script.withLock { $0.fallback = .task(handler) }
    }

    // MARK: The queue

    /// Adds responses to the queue. Each is for one request with any path, and the queue takes precedence over routes.
    public func enqueue(_ responses: Response...) { enqueue(responses) }

    /// Adds responses to the queue. Each is for one request with any path, and the queue takes precedence over routes.
    public func enqueue(_ responses: [Response]) {
        core.script.withLock { $0.enqueue(responses) }
    }

    /// Adds a fault that strikes the next connection as soon as it is accepted. Each call affects one connection.
    public func enqueueFault(atAccept effect: Fault.Effect) {
        core.script.withLock { $0.acceptEffects.append(effect) }
    }

    /// The number of responses in the queue.
    public var queued: Int { core.script.withLock { $0.queueCount } }

    /// Removes all routes, handlers, queued responses and queued faults, so that every request gets a 404.
    public func removeResponses() {
        let script = core.script.withLock { script in
            defer { script = Script() }
            return script
        }
        withExtendedLifetime(script) {}
    }
}
