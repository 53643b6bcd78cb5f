/// The update of the responses that are stored for a URL by a new response (RFC 9111, 3.4 and 4.3.3).
enum Replacement {
    /// Returns the stored responses with the new one at the end; nil if a stored response was requested later.
    ///
    /// - Parameter headers: The headers of the request for the new response.
    static func of(
        _ stored: [StoredResponse], with new: StoredResponse, headers: Headers, now: Double
    ) -> [StoredResponse]? {
        var rest: [StoredResponse] = []
        // The response to an `If-Range` may omit fields, so it cannot become complete alone (RFC 9110, 15.3.7).
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
                // A part that fits the complete response does not replace it.
                rest.append(old)
            } else if old.wasAskedFor(after: new.requestTime, now: now) {
                return nil
            }
        }
        return rest + [new]
    }
}

extension StoredResponse {
    /// Returns whether the stored bytes and those of another response are of the same body.
    fileprivate func holdsBytesOf(_ other: StoredResponse) -> Bool {
        guard other.status == .partialContent, status == .partialContent || status == .ok else { return false }
        return ValidationOutcome.areParts(self, other)
    }

    /// Returns whether the response was requested after a time, so that it stays. Returns false if the clock has moved
    /// back since its arrival.
    func wasAskedFor(after time: Double, now: Double) -> Bool {
        requestTime > time && responseTime <= now
    }

    fileprivate func isContradicted(by other: StoredResponse) -> Bool {
        guard let tag = facts.tag, let otherTag = other.facts.tag else {
            return !(facts.lastModified?.text).hasSameBytes(as: other.facts.lastModified?.text)
        }
        return !tag.isWeaklyEqual(to: otherTag)
    }

    /// A Boolean value that indicates whether the response may stay after an update of its headers: they allow storing
    /// it, and requests can match it.
    var staysStored: Bool {
        let flags = facts.directives.flags
        return (!flags.contains(.noStore) || flags.contains(.mustUnderstand)) && Vary(headers) != .anything
    }

    /// Returns the response with the bytes and the newer fields of another part of the same body.
    fileprivate func combined(with part: StoredResponse) -> StoredResponse {
        // A complete body needs no other part.
        let all = content.isComplete ? content : content.combined(with: part.content)
        let isWhole = status == .ok
        return changed {
            ($0.status, $0.reason) = isWhole ? (.ok, "OK") : (.partialContent, part.reason)
            $0.version = part.version
            $0.headers = StoredFields.updated(headers, with: part.headers)
            $0.describeBody(length: isWhole ? all.total : nil)
            ($0.requestTime, $0.responseTime) = (part.requestTime, part.responseTime)
            ($0.selecting, $0.tags, $0.content) = (part.selecting, tags.union(part.tags), all)
        }
    }

    /// Sets the fields about the body: those of a whole body with a length, or of one whose length is not known.
    private mutating func describeBody(length: Int?) {
        headers.remove("Content-Range")
        if let length {
            headers.set(name: "Content-Length", value: String(length))
        } else {
            headers.remove("Content-Length")
        }
    }

    /// The response as a complete one, if its parts are all of the body (RFC 9110, 15.3.7.3).
    fileprivate var completed: StoredResponse {
        guard status == .partialContent, content.isComplete, let total = content.total,
            !headers.contains("Content-Encoding")
        else { return self }
        return changed {
            ($0.status, $0.reason) = (.ok, "OK")
            $0.describeBody(length: total)
            $0.content = StoredContent(parts: content.parts, total: total)
        }
    }

    /// Returns a body that did not arrive in full as a partial response.
    func asPart() -> StoredResponse {
        changed {
            ($0.status, $0.reason) = (.partialContent, "Partial Content")
            $0.headers.remove("Content-Length")
        }
    }
}
