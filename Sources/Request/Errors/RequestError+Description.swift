#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RequestError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: what went wrong, with which request and which answer. It has no credentials and nothing of a body.
    public var description: String {
        var text = "\(code) (\(phase.rawValue)): \(redaction.redact(text: detail))"
        if let declaration { text += ", \(declaration)" }
        if let request { text += ", \(request.method) \(redaction.redact(request.url))" }
        if let response { text += ", status \(response.status) \(response.status.name)" }
        if let words = words(of: underlying) { text += ", because of \(redaction.redact(text: words))" }
        return text
    }

    /// Several lines, for a developer: as ``description``, with the headers of both messages and the error below.
    ///
    /// Credentials are left out here too. An excerpt of a body that could not be decoded is shown, at most 200
    /// characters of it, so this is for a console rather than for a log that is kept.
    public var debugDescription: String {
        var lines = ["RequestError.\(code) (\(phase.rawValue)): \(redaction.redact(text: detail))"]
        if let declaration { lines.append("declared by: \(declaration)") }
        if let request {
            lines.append("request: \(request.method) \(redaction.redact(request.url))")
            lines += fields(request.headers)
        }
        if let response {
            lines.append("response: \(response.version) \(response.status) \(response.status.name)")
            lines += fields(response.headers)
            if !response.isStreaming { lines.append("  (\(response.body.count) bytes of body)") }
        }
        switch underlying {
        case let problem as DecodingProblem where words(of: problem) == nil:
            // What is wrong stands in the first line.
            if !problem.excerpt.isEmpty { lines.append("excerpt: \(problem.excerpt.debugDescription)") }
        case let error? where error is RequestEncodingError && words(of: error) == nil:
            if let cause = (error as? RequestEncodingError)?.underlying { lines.append(line(of: cause)) }
        case let error?: lines.append(line(of: error))
        case nil: break
        }
        return lines.joined(separator: "\n")
    }

    private func fields(_ headers: Headers) -> [String] {
        redaction.redact(headers).map { "  \($0.name): \($0.value)" }
    }

    private func line(of error: any Error) -> String {
        "underlying: \(redaction.redact(text: ErrorText.withoutAddresses(String(reflecting: error))))"
    }

    /// The error below in a few words, unless the detail has said them.
    private func words(of error: (any Error)?) -> String? {
        guard let error else { return nil }
        let words = ErrorText.of(error)
        return detail.contains(words) ? nil : words
    }
}
