/// A stored response as declared policies see it.
extension StoredResponse {
    var times: ResponseTimes { ResponseTimes(written: responseTime, used: declared?.used) }

    /// The response. Its body is empty if a model is stored in place of the body.
    var response: HTTPResponse {
        HTTPResponse(
            status: status, reason: reason, version: version, headers: headers,
            body: declared?.model == nil ? body ?? Data() : Data())
    }

    /// Returns the response as observers leave it; nil if they reject it. They receive it as an entry.
    func edited(by edit: (CacheEntry) -> CacheEntry?) -> StoredResponse? {
        let text = StoredHead.text(status, reason, version, headers)
        let body = body ?? Data()
        let entry = CacheEntry(
            body: body, metadata: ["head": text], tags: tags, written: Date(timeIntervalSince1970: responseTime))
        guard let result = edit(entry) else { return nil }
        let newText = result.metadata["head"] ?? text
        let isSame = newText == text && result.body == body
        guard !isSame || result.tags != tags else { return self }
        return changed {
            $0.tags = result.tags
            // A response with another body or head is another response: outputs of the old one do not belong to it.
            guard !isSame else { return }
            $0.id = .random(in: 0...UInt64.max)
            if let head = StoredHead.response(newText, body: Data()) {
                ($0.status, $0.reason, $0.version, $0.headers) = (head.status, head.reason, head.version, head.headers)
            }
            // The length of the old body does not apply to the new one.
            if result.body.count != body.count { $0.headers.remove("Content-Length") }
            $0.content = StoredContent(result.body.copied())
        }
    }

    // MARK: Revalidation

    /// Returns the request that revalidates the response. Nil if the server cannot revalidate it, or if the request has
    /// conditions of its own.
    func revalidation(of request: HTTPRequest) -> HTTPRequest? {
        let fields = RequestFields(request.headers)
        guard request.method == .get, status == .ok, facts.hasValidator, declared?.isMoved != true,
            !fields.isConditional, !fields.isForServer, fields.range == nil, fields.ifRange == nil
        else { return nil }
        return ConditionalRequest.validating(self, request, fields: fields)
    }

    /// Returns whether a 304 with these fields is about this response.
    func isMeant(by headers: Headers) -> Bool {
        guard let tag = headers["ETag"].flatMap({ EntityTag($0) }) else { return true }
        return facts.tag?.isWeaklyEqual(to: tag) == true
    }
}

extension ConditionalRequest {
    /// Returns a request without the conditions of a revalidation.
    static func withoutConditions(_ request: HTTPRequest) -> HTTPRequest {
        var plain = request
        for name in ["If-None-Match", "If-Modified-Since"] { plain.headers.remove(name) }
        return plain
    }
}
