// Descriptions of messages contain no credentials and no bodies, because messages end up in logs by accident.

extension HTTPRequest: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: `GET https://example.com/?token=…`.
    public var description: String {
        "\(method) \(redaction.redact(url))"
    }

    /// The line, the fields with redacted credentials, and the size of the body.
    public var debugDescription: String {
        var text = description
        if !headers.isEmpty { text += "\n\(redaction.redact(headers))" }
        if case .none = body.content { return text }
        return text + "\n(\(body))"
    }
}

extension HTTPResponse: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: `HTTP/1.1 404 Not Found`.
    public var description: String {
        "\(version) \(status) \(status.name)"
    }

    /// The line, the fields with redacted credentials, and the size of the body.
    public var debugDescription: String {
        var text = description
        if !headers.isEmpty { text += "\n\(redactionOfHeaders.redact(headers))" }
        return text + (isStreaming ? "\n(a streamed body)" : "\n(\(body.count) bytes)")
    }

    /// The redaction of the request, with its secrets, which a server may send back.
    var redactionOfHeaders: Redaction { (request?.redaction ?? .standard).knowing(request) }
}

extension Headers: CustomStringConvertible {
    /// One line for each field, with redacted credentials.
    public var description: String {
        Redaction.standard.redact(self).map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
}

extension Body: CustomStringConvertible {
    /// The size and type of the body, without its contents: `7 bytes of text/plain`.
    public var description: String {
        let size =
            switch content {
            case .none: "no body"
            case .data(let data): "\(data.count) bytes"
            case .file: "a file"
            case .stream(let stream): stream.length.map { "a stream of \($0) bytes" } ?? "a stream"
            }
        return contentType.map { "\(size) of \($0)" } ?? size
    }
}
