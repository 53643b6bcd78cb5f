import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Keeps the answer to one request, at once or while its body is read.
struct ResponseKeeping: Sendable {
    let cache: HTTPCacheInterceptor
    let request: HTTPRequest
    let context: CallContext
    let key: CacheKey
    let start: HTTPCacheInterceptor.Start

    /// Keeps a response if it may be kept; a body that is on its way is replaced by one that is recorded while it is read.
    ///
    /// Returns why it is not kept; nil if it is, or will be once it has been read.
    func keep(_ response: inout HTTPResponse) async -> CacheExplanation.Reason? {
        if request.method == .head {
            await learn(from: response)
            return .methodNotStored
        }
        // What was added behind the cache is in no key: who else asks would be given the answer.
        guard cache.identity != nil || request.hasCredentials(of: response.request ?? request) else {
            return .credentialsAdded
        }
        switch Storability.of(request, status: response.status, headers: response.headers) {
        case .no(let reason):
            await forgetObsolete(response.status, reason)
            return reason
        case .yes: break
        }
        var kept = response
        if let willStore = cache.hooks.willStore {
            guard let edited = willStore(response, request, context) else { return .vetoed }
            kept = edited
        }
        let head = makeHead(kept)
        guard response.isStreaming else { return await keep(head, kept.body) }
        record(&response, head)
        return nil
    }

    private func makeHead(_ response: HTTPResponse) -> StoredResponse {
        let now = cache.moment
        let directives = ResponseDirectives(response.headers)
        return StoredResponse(
            status: response.status, reason: response.reason, version: response.version,
            headers: KeptFields.of(response.headers, directives: directives, now: now), requestTime: start.time,
            responseTime: now, selecting: cache.selecting(response.headers, for: request))
    }

    // MARK: With its body

    /// A body in an entry of its own goes by the tags of its request as well.
    private var shelf: ResponseShelf {
        var shelf = cache.shelf
        shelf.tags.formUnion(context.core.plan.tags)
        return shelf
    }

    private func keep(_ head: StoredResponse, _ body: Data) async -> CacheExplanation.Reason? {
        guard let content = content(of: head, count: body.count, isComplete: true) else { return .incomplete }
        let recorder = BodyRecorder(shelf, key)
        await recorder.add(body)
        if await commit(head, content, recorder) { return nil }
        await forget(replacedBy: head)
        return .storeFailed
    }

    private func record(_ response: inout HTTPResponse, _ head: StoredResponse) {
        let recorder = BodyRecorder(shelf, key)
        response.stream = BodyStream(
            RecordedBody(response.stream, recorder: recorder) { recorder, isComplete in
                guard let content = content(of: head, count: recorder.count, isComplete: isComplete) else {
                    return recorder.abandon()
                }
                let isKept = await commit(head, content, recorder)
                if !isKept, recorder.count == content.total { await forget(replacedBy: head) }
            })
    }

    /// Which bytes of what so many recorded bytes are; nil where they are not worth keeping.
    private func content(
        of head: StoredResponse, count: Int, isComplete: Bool
    ) -> (first: Int, total: Int?, asked: String?)? {
        let length = head.headers["Content-Length"].flatMap { ContentRange.place($0) }
        if head.status == .partialContent {
            guard isComplete, count > 0, length == nil || length == count,
                let range = ContentRange(head.headers["Content-Range"] ?? ""), count <= range.bytes.count
            else { return nil }
            return (range.bytes.lowerBound, range.total, request.headers["Range"])
        }
        // Who has read so much needs no end to know that this was all.
        if length.map({ $0 == count }) ?? isComplete { return (0, count, nil) }
        if isComplete { return nil }
        // The beginning of something that can be asked for from there on.
        guard head.status == .ok, let length, count > 0, count < length, let tag = head.facts.tag, !tag.isWeak,
            !head.headers.contains("Content-Encoding")
        else { return nil }
        return (0, length, nil)
    }

    private func commit(
        _ head: StoredResponse, _ content: (first: Int, total: Int?, asked: String?), _ recorder: BodyRecorder
    ) async -> Bool {
        let count = recorder.count
        guard let place = await recorder.finish() else {
            if let failure = recorder.failure, !(failure is CancellationError) {
                cache.tell(.failed(failure), request, context)
            }
            return false
        }
        let part = StoredContent.Part(bytes: content.first..<(content.first + count), place: place)
        var kept = head
        kept.content = StoredContent(parts: [part], total: content.total, asked: content.asked)
        if head.status == .ok, !kept.content.isComplete { kept = kept.asPart() }
        let new = kept
        let headers = request.headers
        let isTaken = Flag()
        let isDone = await cache.attempt(request, context) {
            try await cache.shelf.change(key, tags: context.core.plan.tags, bodies: new.content.names) { stored in
                guard !isObsolete,
                    let all = Replacement.of(stored, with: new, headers: headers, now: cache.moment)
                else { return stored }
                isTaken.set()
                return all
            }
        }
        guard isDone, isTaken.isSet, !isObsolete else {
            if case .apart(let name) = place { await cache.shelf.removeBody(name, of: key) }
            return isDone
        }
        cache.tell(.stored, request, context)
        return true
    }

    /// Removes what an answer would have replaced that could not be kept: it says that the rest is not right any more. A part
    /// says nothing of the kind.
    private func forget(replacedBy head: StoredResponse) async {
        if head.status != .partialContent, request.method == .get { await forgetMatching() }
    }

    /// Whether something that happened while the answer was on its way has made it obsolete.
    private var isObsolete: Bool { cache.shelf.changes.hasRemoved(key, since: start.mark) }

    // MARK: Without

    /// Takes over what the answer to a HEAD says (RFC 9111, 4.3.5).
    private func learn(from response: HTTPResponse) async {
        guard response.status == .ok else { return }
        let headers = response.headers
        let end = cache.moment
        let request = request
        let cache = cache
        let start = start.time
        await cache.attempt(request, context) {
            guard try await !cache.shelf.responses(for: key).isEmpty else { return }
            try await cache.shelf.change(key) { stored in
                stored.compactMap { response in
                    guard response.matches(request.headers), response.status == .ok,
                        !response.wasAskedFor(after: start, now: end)
                    else { return response }
                    guard ValidationOutcome.headConfirms(response, headers: headers) else { return nil }
                    let newer = cache.updated(
                        response, with: headers, for: request, requestTime: start, responseTime: end)
                    return newer.staysKept ? newer : nil
                }
            }
        }
    }

    /// Removes what an answer that is not kept has made obsolete.
    private func forgetObsolete(_ status: HTTPStatus, _ reason: CacheExplanation.Reason) async {
        guard reason != .requestNoStore, request.method == .get else { return }
        switch status.code {
        case 200...205, 301, 308, 404, 410: break
        default: return
        }
        await forgetMatching()
    }

    private func forgetMatching() async {
        let headers = request.headers
        let time = start.time
        let now = cache.moment
        @Sendable func isOlder(_ stored: StoredResponse) -> Bool {
            stored.matches(headers) && !stored.wasAskedFor(after: time, now: now)
        }
        await cache.attempt(request, context) {
            guard try await cache.shelf.responses(for: key).contains(where: isOlder) else { return }
            try await cache.shelf.change(key) { $0.filter { !isOlder($0) } }
            cache.tell(.removed, request, context)
        }
    }
}
