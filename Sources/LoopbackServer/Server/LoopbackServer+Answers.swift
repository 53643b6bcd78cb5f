extension LoopbackServer {
    // MARK: Routes

    /// Answers requests for a path, with any query.
    ///
    /// A path that ends in `*` stands for all that begin with what is before it. The longest wins, and a path in full
    /// before all of them. A later answer for the same path and method takes the place of the earlier one.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - method: The method; all if nil. What answers GET answers HEAD too.
    ///   - answer: The answer.
    public func answer(_ path: String, method: String? = nil, with answer: Answer) {
        set(.prepared(PreparedAnswer(answer)), path, method)
    }

    /// Answers requests for a path with what a handler returns. What it throws becomes a status of 500.
    ///
    /// The handler runs on the thread of the server, and must not block.
    public func answer(
        _ path: String, method: String? = nil, _ handler: @escaping @Sendable (RecordedRequest) throws -> Answer
    ) {
        set(.handler(handler), path, method)
    }

    /// Answers requests for a path with what a handler returns in a task of its own.
    public func answer(
        _ path: String, method: String? = nil, _ handler: @escaping @Sendable (RecordedRequest) async throws -> Answer
    ) {
        set(.task(handler), path, method)
    }

    private func set(_ responder: Responder, _ path: String, _ method: String?) {
        core.script.withLock { $0.add(path, method, responder) }
    }

    // MARK: Everything else

    /// Answers all requests that no route answers. Without it, they get a 404.
    public func answer(with answer: Answer) {
        core.script.withLock { $0.setFallback(.prepared(PreparedAnswer(answer))) }
    }

    /// Answers all requests that no route answers, with what a handler returns. What it throws becomes a status of 500.
    ///
    /// The handler runs on the thread of the server, and must not block.
    public func answer(_ handler: @escaping @Sendable (RecordedRequest) throws -> Answer) {
        core.script.withLock { $0.setFallback(.handler(handler)) }
    }

    /// Answers all requests that no route answers, with what a handler returns in a task of its own.
    public func answer(_ handler: @escaping @Sendable (RecordedRequest) async throws -> Answer) {
        core.script.withLock { $0.setFallback(.task(handler)) }
    }

    // MARK: The queue

    /// Answers the next requests, whatever they ask for, one each, before any route is looked at.
    public func enqueue(_ answers: Answer...) {
        core.script.withLock { $0.enqueue(answers) }
    }

    /// Answers the next requests, whatever they ask for, one each, before any route is looked at.
    public func enqueue(_ answers: [Answer]) {
        core.script.withLock { $0.enqueue(answers) }
    }

    /// Lets something happen to the next connection as soon as it is accepted. Each call is for one connection.
    public func enqueueFault(atAccept effect: Fault.Effect) {
        core.script.withLock { $0.enqueueAtAccept(effect) }
    }

    /// How many answers are in the queue.
    public var queued: Int { core.script.withLock { $0.queueCount } }

    /// Forgets routes, queue and handlers, so that everything gets a 404.
    public func removeAnswers() {
        let script = core.script.withLock { script in
            defer { script.clear() }
            return script
        }
        withExtendedLifetime(script) {}
    }
}
