/// What is kept for a URL after a further response (RFC 9111, 3.4 and 4.3.3).
enum Replacement {
    /// The responses with a new one, which was the answer to a request with these headers, and comes last; nil where what is
    /// there was asked for later.
    static func of(
        _ stored: [StoredResponse], with new: StoredResponse, headers: Headers, now: Double
    ) -> [StoredResponse]? {
        var rest: [StoredResponse] = []
        // Who has a part gets no more of the head than he needs, so that alone it is not the whole (RFC 9110, 15.3.7).
        var isTerse = headers.contains("If-Range")
        var new = isTerse ? new : new.completed
        for old in stored {
            guard old.matches(headers) else {
                rest.append(old)
                continue
            }
            if old.holdsBytesOf(new) {
                if old.status == .ok || old.headers.contains("Content-Type") { isTerse = false }
                new = old.combined(with: new)
                if !isTerse { new = new.completed }
            } else if new.status == .partialContent, old.status != .partialContent, !old.isContradicted(by: new) {
                // A part says nothing against the whole.
                rest.append(old)
            } else if old.wasAskedFor(after: new.requestTime, now: now) {
                return nil
            }
        }
        return rest + [new]
    }
}

extension StoredResponse {
    /// Whether the bytes that are kept and those of another are of the same whole.
    fileprivate func holdsBytesOf(_ other: StoredResponse) -> Bool {
        guard other.status == .partialContent, status == .partialContent || status == .ok else { return false }
        return ValidationOutcome.areParts(self, other)
    }

    /// Whether it is the answer to a later request, so that it stays. Where the clock has gone back, nobody can tell.
    func wasAskedFor(after time: Double, now: Double) -> Bool {
        requestTime > time && responseTime <= now
    }

    fileprivate func isContradicted(by other: StoredResponse) -> Bool {
        guard let tag = facts.tag, let otherTag = other.facts.tag else {
            return !(facts.lastModified?.text).hasSameBytes(as: other.facts.lastModified?.text)
        }
        return !tag.isWeaklyEqual(to: otherTag)
    }

    /// Whether, as a newer answer describes it, it may stay: it is not forbidden, and there are requests that it answers.
    var staysKept: Bool {
        let flags = facts.directives.flags
        return (!flags.contains(.noStore) || flags.contains(.mustUnderstand)) && Vary(headers) != .anything
    }

    /// This with the bytes and the newer fields of another part of the same whole.
    fileprivate func combined(with part: StoredResponse) -> StoredResponse {
        // Where nothing is missing, nothing is put together.
        let all = content.isComplete ? content : content.combined(with: part.content)
        var headers = StoredFields.updated(headers, with: part.headers)
        headers.remove("Content-Range")
        let isWhole = status == .ok
        if isWhole, let total = all.total {
            headers.set(name: "Content-Length", value: String(total))
        } else {
            headers.remove("Content-Length")
        }
        return StoredResponse(
            id: id, status: isWhole ? .ok : .partialContent, reason: isWhole ? "OK" : part.reason,
            version: part.version,
            headers: headers, requestTime: part.requestTime, responseTime: part.responseTime,
            selecting: part.selecting, tags: tags.union(part.tags), content: all)
    }

    /// This as the whole, where it is parts that have become all of it (RFC 9110, 15.3.7.3).
    fileprivate var completed: StoredResponse {
        guard status == .partialContent, content.isComplete, let total = content.total,
            !headers.contains("Content-Encoding")
        else { return self }
        var headers = headers
        headers.remove("Content-Range")
        headers.set(name: "Content-Length", value: String(total))
        return StoredResponse(
            id: id, status: .ok, reason: "OK", version: version, headers: headers, requestTime: requestTime,
            responseTime: responseTime, selecting: selecting, tags: tags,
            content: StoredContent(parts: content.parts, total: total))
    }

    /// The beginning of a whole that did not arrive in full, as a part of it.
    func asPart() -> StoredResponse {
        var headers = headers
        headers.remove("Content-Length")
        return StoredResponse(
            id: id, status: .partialContent, reason: "Partial Content", version: version, headers: headers,
            requestTime: requestTime, responseTime: responseTime, selecting: selecting, tags: tags, content: content)
    }
}
