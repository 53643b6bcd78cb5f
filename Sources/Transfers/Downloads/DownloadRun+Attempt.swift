extension DownloadRun: CallPart {
    /// Writes the body to the file, and requests only the bytes that are missing.
    func attempt(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        try await withTaskExecutorPreference(IO.executor) {
            do {
                return try await attempt(request, context.core, next)
            } catch let failure as FileFailure {
                throw RequestError(failure).with(request)
            } catch let error as RequestError {
                throw error.request == nil ? error.with(request) : error
            }
        }
    }

    private func attempt(
        _ request: HTTPRequest, _ core: CallCore, _ next: Next
    ) async throws -> HTTPResponse {
        guard !request.headers.contains("Range"), !request.headers.contains("If-Range") else {
            throw RequestError(
                .badHeader, phase: .prepare,
                detail: "the download has a Range of its own: leave it out, because downloads set it themselves")
        }
        guard beginAttempt() else {
            throw RequestError(
                .destinationInUse, phase: .prepare,
                detail: "an interceptor has sent the request of the download twice at the same time: send it again "
                    + "once the first response is there")
        }
        defer { endAttempt() }
        let next = next.decodingUnrequested()
        let (file, resource) = try open(
            for: core.exchanged.request ?? request, sentAs: request, by: core.plan.client)
        core.transportProgress.countReceivedElsewhere()
        let partial = file.partial(of: resource, at: plan.location(of: request))
        var start = ResumeDecision.start(after: partial, isGet: request.method == .get, parts)
        /// The response with the whole file, if it came in place of a part.
        var whole: HTTPResponse?
        while true {
            var response =
                if let arrived = replace(&whole, with: nil) { arrived } else {
                    try await next(request.ranged(start))
                }
            let decision = ResumeDecision.of(response, after: start)
            switch decision {
            case .begin: break
            case .append, .complete: start?.fields?.replace(in: &response.headers)
            case .again where start != nil:
                await response.drain()
                start = nil
                continue
            case .again, .pass:
                try await response.collect(upTo: plan.limit ?? TransportOptions.Delivery.defaultLimit)
                return response
            case .refuse(let reason):
                await response.drain()
                throw RequestError(.badResponse, phase: .receive, detail: reason, request: request, response: response)
            }
            guard core.plan.accepts(head: response) else {
                if decision == .complete {
                    // A 416 does not describe the file. The response with the whole file shows whether it is the right one.
                    await response.drain()
                    start = nil
                    continue
                }
                try await response.collect(upTo: TransportOptions.Delivery.defaultLimit)
                return response
            }
            let writing = DownloadWriting(
                run: self, file: file, resource: resource, progress: core.transportProgress, request: request,
                next: next.loadingPart())
            switch try await writing.write(response, decision, after: start, now: core.plan.client.wallTime.seconds) {
            case .done(let response): return response
            case .next(let following): start = following
            case .again(let response):
                endParts()
                start = nil
                whole = response
            }
        }
    }
}

extension CommonPlan {
    /// Returns whether the call takes a response as a success. Rules that read the body accept it.
    func accepts(head response: HTTPResponse) -> Bool {
        var whole = response.asWhole
        if !whole.isStreaming { whole.stream = BodyStream(whole.body) }
        let context = SerializationContext(json: client.configuration.json)
        return (try? self.validation.check(whole, context: context)) != nil
    }
}

extension HTTPResponse {
    /// The response as that of the whole file: the parts of a file have another status.
    fileprivate var asWhole: HTTPResponse {
        var whole = self
        if status == .partialContent || status == .rangeNotSatisfiable {
            whole.status = .ok
            whole.reason = "OK"
        }
        return whole
    }
}

/// One response that is written to the file of a download.
struct DownloadWriting {
    let run: DownloadRun
    let file: PartialFile
    let resource: String
    let progress: TransportProgress
    /// The request for the whole file, and the stages that its parts pass.
    let request: HTTPRequest
    let next: Next

    enum Outcome: Sendable {
        /// The response has the file in place of its body, or it has nothing for the file.
        case done(HTTPResponse)
        /// The response has ended before the file, or the end of the file is unknown: request the bytes that follow.
        case next(ResumeDecision.Start)
        /// The parts of the file do not match: load it over one connection, from the response with all of it, if any.
        case again(HTTPResponse?)
    }

    /// Writes the body, with other parts of the file if it is loaded in parts, and moves the file to its destination.
    func write(
        _ response: HTTPResponse, _ decision: ResumeDecision, after start: ResumeDecision.Start?, now: Double
    ) async throws -> Outcome {
        var response = response
        var parts: (ranges: [Range<Int>], validator: ResumeValidator, total: Int, isWhole: Bool)?
        let total: Int?
        /// The offset after the last byte of the body; nil if the server has not announced it.
        let end: Int?
        switch decision {
        case .append(let announced):
            total = announced
            end = ResumeDecision.range(in: response.headers)?.bytes.upperBound
            if let start, start.end != nil, let total {
                try file.beginParts(record(start.validator, total, response), start.present)
                parts = (start.parts, start.validator, total, false)
            }
            run.begin(at: file.count, isResumable: true)
            if let start, start.total == nil, let announced {
                try file.save(record(start.validator, announced, response))
            }
        case .complete:
            await response.drain()
            run.begin(at: file.count, isResumable: true)
            return .done(try finish(response, total: file.count))
        case .begin(let announced):
            total = announced
            end = announced
            let isGet = response.request.map { $0.method == .get } ?? true
            let validator = isGet && !response.isDecoded ? ResumeValidator(response.headers, now: now) : nil
            run.begin(at: 0, isResumable: validator != nil)
            let record = record(validator, announced, response)
            // A file that cannot be resumed needs one for its user, who may sign out after this process was killed.
            try file.begin(validator == nil && run.owner == nil ? nil : record)
            if let validator, let total,
                let ranges = PartSplit.parts(
                    of: total, response.status, response.headers, validator: validator, run.parts)
            {
                try file.beginParts(record, FileRanges())
                parts = (ranges, validator, total, true)
            }
        case .again, .refuse, .pass: return .done(response)
        }
        try check(total ?? 0, of: response)
        if let parts {
            let loading = PartsLoading(
                run: run, file: file, progress: progress, request: request, next: next, validator: parts.validator,
                total: parts.total)
            switch try await loading.load(response, parts.ranges, isWhole: parts.isWhole) {
            case .complete: return .done(try finish(response, total: parts.total))
            case .again(let whole): return .again(whole)
            case .response(let other): return .done(other)
            }
        }
        progress.reach(received: file.count, of: total)
        let stream = response.stream
        for try await portion in stream {
            try check(file.count + portion.count, of: response)
            try file.append(portion)
            progress.reach(received: file.count, of: total)
        }
        if let ending = stream.ending {
            response.trailers = ending.trailers
            response.metrics = ending.metrics
        }
        if let end, file.count != end { throw wrongLength(end, isWhole: end == total, response) }
        // A part says where it ends. Without a total, another one may follow.
        if case .append = decision, let start, file.count != total {
            return .next(
                ResumeDecision.Start(
                    offset: file.count, validator: start.validator, total: total, fields: FileFields(response.headers)))
        }
        return .done(try finish(response, total: file.count))
    }

    private func record(_ validator: ResumeValidator?, _ total: Int?, _ response: HTTPResponse) -> ResumeRecord {
        ResumeRecord(
            resource: resource, validator: validator, total: total, owner: run.owner,
            location: run.plan.location(of: request), fields: FileFields(response.headers))
    }

    private func check(_ count: Int, of response: HTTPResponse) throws {
        guard let limit = run.plan.limit, count > limit else { return }
        throw RequestError.tooLarge(limit: limit, response: response.head)
    }

    private func wrongLength(_ end: Int, isWhole: Bool, _ response: HTTPResponse) -> RequestError {
        let isShort = file.count < end
        let body = isWhole ? "of the file" : "up to the end of its range"
        if !isShort { try? file.begin(nil) }
        return RequestError(
            isShort ? .truncated : .badResponse, phase: .receive,
            detail: isShort
                ? "the response ended after \(file.count) of \(end) bytes \(body)"
                : "the response has more bytes than the \(end) \(body) that it announced",
            request: response.request, response: response.head)
    }

    /// Verifies the complete file, and gives it its name.
    private func finish(_ response: HTTPResponse, total: Int) throws -> HTTPResponse {
        if let checksum = run.plan.checksum {
            let digest = try file.digest()
            guard digest.hasSameBytes(as: checksum.hexadecimal) else {
                file.discard()
                throw RequestError.checksumMismatch(
                    digest, expected: checksum.hexadecimal, response.request, response.head)
            }
        }
        var whole = response.head.asWhole
        whole.headers["Content-Range"] = nil
        whole.headers["Content-Length"] = "\(total)"
        whole.file = FileBody(url: try move(response), count: total, resumedFrom: run.resumedFrom)
        progress.reach(received: total, of: total)
        return whole
    }

    private func move(_ response: HTTPResponse) throws -> URL {
        switch run.plan.destination.place {
        case .file(let url):
            _ = try file.move(to: url.path, replaces: true)
            return url
        case .folder(let folder):
            let path = response.request?.url.lastPathComponent ?? ""
            let name = SafeFileName.of(response.headers, path: path)
            for number in 1...10_000 {
                let url = folder.appendingPathComponent(SafeFileName.numbered(name, number))
                if try file.move(to: url.path, replaces: false) { return url }
            }
            throw SafeFileName.allTaken(name)
        case .undeclared: throw CancellationError()
        }
    }
}
