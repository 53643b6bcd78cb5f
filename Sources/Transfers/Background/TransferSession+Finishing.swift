/// The end of a transfer that the system has completed.
extension TransferSession {
    /// Verifies the file and moves it to its destination, or keeps the response of an upload. One thread at a time does
    /// so for a record.
    func finish(_ id: String) {
        let record = state.withLock { state -> TransferRecord? in
            guard let record = state.records[id], state.busy.insert(id).inserted else { return nil }
            return record
        }
        guard let record else { return }
        defer { release(id) }
        do {
            if let goal = record.goal {
                try finish(record, goal)
            } else {
                try finishUpload(record)
            }
        } catch {
            let call = state.withLock { $0.calls.removeValue(forKey: id) }
            if Self.isLasting(error) || TransferFolder.facts(folder.filePath(id)) == nil { forget(id) }
            call?.fail(error)
        }
    }

    /// Returns whether another attempt to place the file would fail too. Otherwise, the file stays for the next call.
    private static func isLasting(_ error: any Error) -> Bool {
        guard let error = error as? RequestError else { return false }
        return error.code != .badDestination && error.code != .cannotWriteFile
    }

    private func release(_ id: String) {
        let (late, isLeft) = state.withLock { state in
            state.busy.remove(id)
            return (state.late.removeValue(forKey: id), state.left.remove(id) != nil)
        }
        if isLeft { forget(id) }
        guard let late else { return }
        Task(executorPreference: IO.executor) { [self] in await start(late) }
    }

    private func finish(_ record: TransferRecord, _ goal: TransferRecord.Goal) throws {
        let (call, whole, failure) = state.withLock { state in
            (state.calls[record.id], state.heads[record.id], state.failures[record.id])
        }
        if let failure { throw failure }
        guard let head = record.step.head else { throw TransferPlacing.missing }
        // The status of a part that completes the file.
        var response = whole ?? head.response
        response.request = call?.request
        if response.status == .partialContent {
            response.status = .ok
            response.headers["Content-Range"] = nil
        }
        guard call?.accepts(response) ?? head.isSuccess else { return try refuse(record, response, call) }
        let placing = TransferPlacing(folder: folder, goal: goal, head: head)
        var placed = record
        if TransferState(folder.entry(record), hasTask: false, now: now()) != .placed {
            let verified = try placing.verify(record)
            update(verified)
            placed = try placing.place(verified)
        }
        guard let call, case .placing(let content, let path) = placed.step else { return try settle(placed) }
        response.headers["Content-Length"] = "\(content.facts.count)"
        response.file = FileBody(url: URL(fileURLWithPath: path.path()), count: content.facts.count, resumedFrom: 0)
        forget(record.id)
        call.progress.note { $0.received = max($0.received, content.facts.count) }
        call.settle { [response] in response }
    }

    private func update(_ record: TransferRecord) {
        state.withLock { $0.records[record.id] = record }
    }

    /// Delivers the body of a response that is not a success.
    private func refuse(_ record: TransferRecord, _ response: HTTPResponse, _ call: TransferCall?) throws {
        var response = response
        if let call {
            let path = folder.filePath(record.id)
            if let facts = TransferFolder.facts(path), facts.count > call.limit {
                throw RequestError.tooLarge(limit: call.limit, response: response)
            }
            response.body = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        }
        forget(record.id)
        call?.settle { [response] in response }
    }

    private func finishUpload(_ record: TransferRecord) throws {
        let (call, response, body) = state.withLock { state in
            (state.calls[record.id], state.heads[record.id], state.bodies[record.id] ?? Data())
        }
        guard var response else { throw TransferPlacing.noResponse }
        guard let call else {
            // A failure is not stored, so that the next call sends the file again.
            let head = TransferRecord.Head(response, path: "")
            guard head.isSuccess, body.count <= TransferCall.longestUnattendedBody else { return forget(record.id) }
            try folder.save(body, of: record.id)
            guard let facts = TransferFolder.facts(folder.filePath(record.id)) else { return forget(record.id) }
            return try keep(TransferRecord.Content(head: head, facts: facts), at: nil, of: record)
        }
        response.request = call.request
        if body.count > call.limit { throw RequestError.tooLarge(limit: call.limit, response: response) }
        if try !call.names().resource.hasSameBytes(as: record.resource) {
            throw RequestError(
                .badBody, phase: .send,
                detail: "the file was changed while it was sent: send a copy if it is still being written",
                request: call.request, response: response)
        }
        response.body = body
        forget(record.id)
        call.settle { [response] in response }
    }

    /// Keeps the result of a download for the next call.
    private func settle(_ record: TransferRecord) throws {
        guard case .placing(let content, let path) = record.step else { return }
        try keep(content, at: path, of: record)
        // Another disk has a copy.
        folder.remove(TransferFolder.fileName(record.id))
    }

    private func keep(_ content: TransferRecord.Content, at path: StoredPath?, of record: TransferRecord) throws {
        var finished = record
        finished.step = .finished(content, path: path, date: now())
        try folder.save(finished)
        update(finished)
    }

    /// Notes that an earlier process has moved the file to its destination.
    func noteFinished(_ id: String) {
        guard let record = state.withLock({ $0.records[id] }) else { return }
        try? settle(record)
    }

    /// Delivers a result that an earlier process has left, and forgets it.
    func take(_ record: TransferRecord, for call: TransferCall) {
        guard case .finished(let content, let path, _) = record.step else { return call.fail(TransferPlacing.missing) }
        var response = content.head.response
        response.request = call.request
        if let path {
            response.status = .ok
            response.file = FileBody(url: URL(fileURLWithPath: path.path()), count: content.facts.count, resumedFrom: 0)
        } else {
            response.body = (try? Data(contentsOf: URL(fileURLWithPath: folder.filePath(record.id)))) ?? Data()
        }
        forget(record.id)
        call.settle { [response] in response }
    }
}

extension TransferRecord.Step {
    /// The head of the response, once it is known.
    var head: TransferRecord.Head? {
        switch self {
        case .started: nil
        case .arriving(let head): head
        case .arrived(let content), .placing(let content, _), .finished(let content, _, _): content.head
        }
    }
}

extension TransferPlacing {
    static let noResponse = RequestError(
        .badResponse, phase: .receive,
        detail: "the system has delivered no response to an upload: check on the server if the file has arrived")
}
