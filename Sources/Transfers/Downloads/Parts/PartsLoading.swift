/// One attempt to load the missing parts of a file over several connections.
///
/// Its requests pass the stages below the retries, as the first one did: each has a slot of the limiter. An error
/// or a refused response is that of the attempt. So the stages above retry it, get new credentials or follow a
/// redirect, and the next attempt loads only what is missing.
struct PartsLoading: Sendable {
    let run: DownloadRun
    let file: PartialFile
    let progress: TransportProgress
    /// The request for the whole file.
    let request: HTTPRequest
    let next: Next
    let validator: ResumeValidator
    let total: Int

    enum Outcome: Sendable {
        /// All bytes are on the disk.
        case complete
        /// The file has to be loaded over one connection, from the response with all of it, if there is one.
        case again(HTTPResponse?)
        /// The response is that of the attempt: it has nothing for the file.
        case response(HTTPResponse)
    }

    private struct Excess: Error {}

    /// Loads the parts.
    ///
    /// - Parameters:
    ///   - response: The first response, which has arrived.
    ///   - parts: The missing parts. The response has the first of them.
    ///   - isWhole: A Boolean value that indicates whether the body goes on after the first part.
    func load(_ response: HTTPResponse, _ parts: [Range<Int>], isWhole: Bool) async throws -> Outcome {
        guard let first = parts.first else { return .complete }
        // Each connection begins with a part of its own, so that the first response goes on only after refusals.
        let others = parts.dropFirst().prefix(run.plan.parts.count - 1)
        let queue = PartQueue(Array(parts.dropFirst(1 + others.count)))
        progress.reach(received: file.count, of: total)
        let outcome = await withTaskGroup(of: PartEnd.self) { group in
            group.addTask { await connection(queue, beginningWith: (response, first, isWhole)) }
            for part in others { group.addTask { await connection(queue, part) } }
            var outcome = PartsOutcome(running: 1 + others.count)
            for await end in group {
                let (finished, hasWaiting) = queue.progress
                switch outcome.add(end, finished: finished, hasWaiting: hasWaiting) {
                case .goOn: break
                case .start: group.addTask { await connection(queue) }
                case .stop: group.cancelAll()
                }
            }
            return outcome
        }
        try Task.checkCancellation()
        if outcome.isContradicted { return .again(outcome.whole) }
        try file.saveParts()
        if let failure = outcome.failure { throw failure }
        if file.count == total { return .complete }
        guard let refusal = outcome.refusal else { throw truncated(file.count, response) }
        return .response(try refusal.get())
    }

    // MARK: One connection

    /// Loads one part after another.
    private func connection(
        _ queue: PartQueue, _ part: Range<Int>? = nil,
        beginningWith first: (response: HTTPResponse, part: Range<Int>, isWhole: Bool)? = nil
    ) async -> PartEnd {
        do {
            if let first {
                let end = try await write(first.response, to: first.part, before: first.isWhole ? queue : nil)
                queue.finish()
                if end < first.part.upperBound { queue.putBack(end..<first.part.upperBound) }
            }
            var next = part ?? queue.take()
            while let part = next {
                if let end = try await load(part, queue) { return end }
                queue.finish()
                next = queue.take()
            }
            return .finished
        } catch is Excess {
            return .contradicted(nil)
        } catch {
            return .failed(error)
        }
    }

    /// Loads one part. The server may send it in several responses. Returns nil if it is on the disk.
    private func load(_ part: Range<Int>, _ queue: PartQueue) async throws -> PartEnd? {
        var rest = part
        while !rest.isEmpty {
            let start = ResumeDecision.Start(
                offset: rest.lowerBound, validator: validator, total: total, end: rest.upperBound)
            var response: HTTPResponse
            do {
                response = try await next(request.ranged(start))
            } catch let error as RequestError {
                queue.putBack(rest)
                return .refused(.failure(error))
            }
            switch ResumeDecision.of(response, after: start) {
            case .append:
                let end = try await write(response, to: rest, before: nil)
                rest = end..<rest.upperBound
            case .begin: return .contradicted(response)
            case .again, .refuse, .complete:
                await response.drain()
                return .contradicted(nil)
            case .pass:
                queue.putBack(rest)
                // The connection is free while the others go on.
                let outcome: Result<HTTPResponse, any Error>
                do {
                    try await response.collect(upTo: TransportOptions.Delivery.defaultLimit)
                    outcome = .success(response)
                } catch {
                    outcome = .failure(error)
                }
                return .refused(outcome)
            }
        }
        return nil
    }

    /// Writes a body to its place in the file, and returns the offset after it.
    ///
    /// - Parameter queue: The queue, if the body goes on after the part: then it also takes the parts that follow while
    ///   they wait.
    private func write(_ response: HTTPResponse, to part: Range<Int>, before queue: PartQueue?) async throws -> Int {
        let announced = queue == nil ? ResumeDecision.range(in: response.headers)?.bytes.upperBound : nil
        var end = min(part.upperBound, announced ?? part.upperBound)
        var offset = part.lowerBound
        let stream = response.stream
        defer { stream.cancel() }
        for try await portion in stream {
            var rest = portion[...]
            while !rest.isEmpty {
                guard offset < end else { throw Excess() }
                let bytes = rest.prefix(end - offset)
                try file.write(bytes, at: offset)
                offset += bytes.count
                rest = rest.dropFirst(bytes.count)
                progress.reach(received: file.count, of: total)
                if offset == end, offset < total, let queue {
                    guard let following = queue.take(at: offset) else { return offset }
                    queue.finish()
                    end = following.upperBound
                }
            }
        }
        guard offset == end else { throw truncated(file.count, response) }
        return offset
    }

    private func truncated(_ count: Int, _ response: HTTPResponse) -> RequestError {
        RequestError(
            .truncated, phase: .receive,
            detail: "a response ended before its part of the file: \(count) of \(total) bytes are there",
            request: response.request, response: response.head)
    }
}

extension HTTPRequest {
    /// The request for the bytes that are missing, not encoded.
    func ranged(_ start: ResumeDecision.Start?) -> HTTPRequest {
        var request = self
        request.headers["Accept-Encoding"] = "identity"
        if let start {
            request.headers["Range"] = "bytes=\(start.offset)-" + (start.end.map { "\($0 - 1)" } ?? "")
            request.headers["If-Range"] = start.validator.text.text
        }
        return request
    }
}
