extension HTTPRequest {
    /// An estimate of the number of bytes in the head as it is sent. It is never too low.
    package var headLength: Int {
        var count = method.rawValue.utf8.count + url.absoluteString.utf8.count + 16
        // HTTP/2 adds 32 bytes to the text of each field.
        for field in headers.fields { count += field.name.utf8.count + field.value.utf8.count + 32 }
        return count
    }

    /// Returns the error for a head that exceeds the limit; nil if the head is short enough.
    package func headTooLarge(limit: Int) -> RequestError? {
        let length = headLength
        guard length > limit else { return nil }
        let longest = headers.fields.max { $0.value.utf8.count < $1.value.utf8.count }
        let target = url.absoluteString.utf8.count
        let advice =
            if let longest, longest.value.utf8.count >= target {
                "shorten the header \(longest.name), whose value has \(longest.value.utf8.count) bytes"
            } else {
                "shorten the URL, which has \(target) bytes"
            }
        return RequestError(
            .headTooLarge, phase: .prepare,
            detail: "the head of the request has \(length) bytes, and no more than \(limit) can be sent: \(advice)",
            request: self)
    }
}
