extension HTTPRequest {
    /// An estimate of the length of the head in bytes when it is sent. It is never too short.
    var headLength: Int {
        var count = method.rawValue.utf8.count + url.absoluteString.utf8.count + 16
        // HTTP/2 counts 32 bytes for each field besides its text.
        for field in headers.fields { count += field.name.utf8.count + field.value.utf8.count + 32 }
        return count
    }

    /// The error for a head that is longer than the limit; nil if it is short enough.
    func headTooLarge(limit: Int) -> RequestError? {
        let length = headLength
        guard length > limit else { return nil }
        let longest = headers.fields.max { $0.value.utf8.count < $1.value.utf8.count }
        let target = url.absoluteString.utf8.count
        let advice =
            if let longest, longest.value.utf8.count >= target {
                "shorten the header \(longest.name), whose value has \(longest.value.utf8.count)"
            } else {
                "shorten the URL, which has \(target)"
            }
        return RequestError(
            .headTooLarge, phase: .prepare,
            detail: "the head of the request has \(length) bytes, and no more than \(limit) can be sent: \(advice)",
            request: self)
    }
}
