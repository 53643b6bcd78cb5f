#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RequestError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line: what went wrong, with which request and which answer. It has no credentials and nothing of a body.
    public var description: String {
        var text = "\(code) (\(phase.rawValue)): \(redaction.redact(text: detail))"
        if let request { text += ", \(request.method) \(redaction.redact(request.url))" }
        if let response { text += ", status \(response.status) \(response.status.name)" }
        if let underlying { text += ", because of \(Self.summary(of: underlying))" }
        return text
    }

    /// Several lines, for a developer: as ``description``, with the headers of both messages and the error below.
    ///
    /// Credentials are left out here too. An excerpt of a body that could not be decoded is shown, at most 200
    /// characters of it, so this is for a console rather than for a log that is kept.
    public var debugDescription: String {
        var lines = ["RequestError.\(code) (\(phase.rawValue)): \(redaction.redact(text: detail))"]
        if let request {
            lines.append("request: \(request.method) \(redaction.redact(request.url))")
            lines += fields(request.headers)
        }
        if let response {
            lines.append("response: \(response.version) \(response.status) \(response.status.name)")
            lines += fields(response.headers)
            if !response.isStreaming { lines.append("  (\(response.body.count) bytes of body)") }
        }
        if let underlying {
            lines.append("underlying: \(redaction.redact(text: String(reflecting: underlying)))")
        }
        return lines.joined(separator: "\n")
    }

    private func fields(_ headers: Headers) -> [String] {
        redaction.redact(headers).map { "  \($0.name): \($0.value)" }
    }

    /// An error in a few words that hold no values: those of an unknown one could come from a body.
    private static func summary(of error: any Error) -> String {
        switch error {
        case let error as RequestError: error.description
        case let error as DecodingProblem: error.description
        case let error as TrustFailure: error.description
        default: "\(type(of: error)) (\(error._domain) \(error._code))"
        }
    }
}
