/// The events of the system. An event of a record that was forgotten has no effect.
extension TransferSession {
    func sent(_ id: String, _ count: Int, of total: Int?) {
        let call = state.withLock { $0.calls[id] }
        call?.progress.note {
            $0.sent = max($0.sent, count)
            $0.sentTotal = total
        }
    }

    func received(_ id: String, _ count: Int, of total: Int?) {
        let call = state.withLock { $0.calls[id] }
        call?.progress.note {
            $0.received = max($0.received, count)
            $0.receivedTotal = total
        }
    }

    /// Takes the file of a download. When this returns, the system removes what is left of it.
    func arrived(_ id: String, _ response: HTTPResponse, path: String, at file: URL) {
        guard var record = state.withLock({ $0.records[id] }), record.goal != nil else { return }
        switch record.step {
        case .started: break
        case .arriving where folder.entry(record).held == nil: break
        // The event comes a second time.
        case .arriving, .arrived, .placing, .finished: return
        }
        do {
            record.step = .arriving(TransferRecord.Head(response, path: path))
            try folder.save(record)
            try folder.take(file, of: id)
            let isWanted = state.withLock { [record] state in
                guard state.records[id] != nil else { return false }
                state.records[id] = record
                state.heads[id] = response
                return true
            }
            // Its call was cancelled meanwhile.
            if !isWanted { folder.forget(id) }
        } catch {
            state.withLock { $0.failures[id] = error }
        }
    }

    /// Takes a portion of the body of a response to an upload.
    func receivedBody(_ id: String, _ data: Data) {
        state.withLock { state in
            guard let record = state.records[id], record.goal == nil else { return }
            let limit = state.calls[id]?.limit ?? TransferCall.longestUnattendedBody
            // One byte more than the limit says that the body is too long.
            guard state.bodies[id, default: Data()].count <= limit else { return }
            state.bodies[id, default: Data()].append(data)
        }
    }

    /// Ends a transfer.
    func completed(_ id: String, _ response: HTTPResponse?, _ failure: TransferFailure?) {
        let (record, call) = state.withLock { state in
            state.tasks[id] = nil
            if state.heads[id] == nil { state.heads[id] = response }
            return (state.records[id], state.calls[id])
        }
        guard let record else { return }
        if case .finished = record.step { return }
        guard let failure else { return finish(id) }
        if let data = failure.resumeData {
            state.withLock { $0.resumeData[record.place] = (record.resource, record.owner, data) }
        }
        forget(id)
        call?.fail(failure)
    }

    /// Called when the system has delivered all events for which it has launched the application.
    func deliveredAll() {
        let handlers = state.withLock { $0.delivery.deliveredAll() }
        run(handlers)
    }

    /// Adds a handler that runs once all events are delivered.
    func add(_ handler: EventDelivery.Handler) {
        let handlers = state.withLock { $0.delivery.add(handler) }
        run(handlers)
    }

    private func run(_ handlers: [EventDelivery.Handler]) {
        guard !handlers.isEmpty else { return }
        Task { @MainActor in
            // The application may be suspended when a handler returns.
            await ready()
            for handler in handlers { handler.run() }
        }
    }
}

extension TransferCall {
    /// The highest number of bytes of a response to an upload that waits for its call.
    static let longestUnattendedBody = 1 << 20

    var limit: Int {
        if case .whole(let limit) = plan.delivery { return limit ?? .max }
        return TransportOptions.Delivery.defaultLimit
    }

    fileprivate func fail(_ failure: TransferFailure) {
        guard let address = try? ServerAddress(request.url) else { return fail(CancellationError()) }
        let isBefore = [.offline, .hostNotFound, .cannotConnect, .connectTimedOut, .tlsFailed].contains(failure.code)
        let detail =
            failure.code == .connectTimedOut || failure.code == .idleTimedOut
            ? "the system has ended the transfer, because it took too long: start it again"
            : failure.code.detail(for: address, plan.timeouts, message: failure.message)
        fail(
            RequestError(
                failure.code, phase: isBefore ? .connect : .receive, detail: detail, request: request,
                underlying: failure.underlying))
    }
}
