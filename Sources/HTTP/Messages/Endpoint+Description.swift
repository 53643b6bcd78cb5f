extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line, without credentials: `GET /users?page=2&token=…`.
    public var description: String {
        let redaction = Redaction.standard.adding(secrets)
        let path = redaction.redact(reference: path)
        guard !query.isEmpty else { return "\(method) \(path)" }
        return "\(method) \(path)\(path.contains("?") ? "&" : "?")\(redaction.search.replacing(in: query.description))"
    }

    /// The line, the headers with redacted credentials, and the size of the body.
    public var debugDescription: String {
        var text = description
        if !headers.isEmpty { text += "\n\(Redaction.standard.adding(secrets).redact(headers))" }
        return body.isNone ? text : text + "\n(\(body))"
    }
}

extension Endpoint: CustomReflectable {
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "endpoint": description, "headers": Redaction.standard.adding(secrets).redact(headers),
                "body": body.description,
            ])
    }
}
