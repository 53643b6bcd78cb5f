extension RequestError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line with the error, the request and the status. It contains no credentials and no part of a body.
    public var description: String {
        let redaction = redaction.knowing(request, response)
        var text = "\(code) (\(phase.rawValue)): \(redaction.redact(text: detail))"
        if let declaration { text += ", \(declaration)" }
        if let request { text += ", \(request.method) \(redaction.redact(request.url))" }
        if let response { text += ", status \(response.status) \(response.status.name)" }
        if let words = words(of: underlying) { text += ", cause: \(redaction.redact(text: words))" }
        return text
    }

    /// Several lines for developers: the ``description``, the headers of both messages and the underlying error.
    ///
    /// Credentials are redacted here too. If a body could not be decoded, the text contains an excerpt of at most 200
    /// characters. So print it to a console, but do not write it to a log.
    public var debugDescription: String {
        let redaction = redaction.knowing(request, response)
        var lines = ["RequestError.\(code) (\(phase.rawValue)): \(redaction.redact(text: detail))"]
        if let declaration { lines.append("declared by: \(declaration)") }
        if let request {
            lines.append("request: \(request.method) \(redaction.redact(request.url))")
            lines += fields(request.headers, redaction)
        }
        if let response {
            lines.append("response: \(response.version) \(response.status) \(response.status.name)")
            lines += fields(response.headers, redaction)
            if !response.isStreaming { lines.append("  (\(response.body.count) bytes of body)") }
        }
        switch underlying {
        case let problem as DecodingProblem where words(of: problem) == nil:
            // The first line contains the problem.
            if !problem.excerpt.isEmpty {
                let excerpt = redaction.redacted(Data(problem.excerpt.utf8), contentType: "application/json")
                lines.append("excerpt: \(String(decoding: excerpt, as: UTF8.self).debugDescription)")
            }
        case let error? where error is RequestEncodingError && words(of: error) == nil:
            if let cause = (error as? RequestEncodingError)?.underlying { lines.append(line(of: cause, redaction)) }
        case let error?: lines.append(line(of: error, redaction))
        case nil: break
        }
        return lines.joined(separator: "\n")
    }

    private func fields(_ headers: Headers, _ redaction: Redaction) -> [String] {
        redaction.redact(headers).map { "  \($0.name): \($0.value)" }
    }

    private func line(of error: any Error, _ redaction: Redaction) -> String {
        "underlying: \(redaction.redact(text: ErrorText.withoutAddresses(String(reflecting: error))))"
    }

    /// Returns the text of the underlying error, unless the detail contains it already.
    private func words(of error: (any Error)?) -> String? {
        guard let error else { return nil }
        let words = ErrorText.of(error)
        return detail.contains(words) ? nil : words
    }
}
