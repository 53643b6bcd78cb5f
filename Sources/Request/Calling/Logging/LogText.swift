/// The texts of log entries. Each is a function of the values that it shows.
package struct LogText: Sendable {
    let level: CallLog.Level
    let bodyLimit: Int

    /// Returns the text of a request.
    func sending(_ request: HTTPRequest, _ cause: Attempt.Cause) -> String {
        var text = "→ \("\(request)".printable)"
        if !request.body.isNone { text += ", \(request.body)" }
        if cause != .first { text += " (\(cause))" }
        guard level >= .headers else { return text }
        text += fields(request.headers, request.redaction)
        guard level >= .body, case .data(let data) = request.body.legible, !data.isEmpty else { return text }
        let type = request.headers["Content-Type"] ?? request.body.contentType
        return text + body(data, type, request.redaction.knowing(request))
    }

    /// Returns the text of the response of a server.
    func received(_ response: HTTPResponse, after elapsed: Duration) -> String {
        var text = "← \(Self.summary(of: response)) in \(elapsed.text)"
        if response.status.isRedirect, let location = response.headers["Location"] {
            let redaction = response.request?.redaction ?? .standard
            text += ", to \(redaction.redact(location, ofHeader: "Location").printable)"
        }
        return text + details(of: response)
    }

    /// Returns the text of a response from the cache.
    func cached(_ response: HTTPResponse) -> String {
        let source =
            switch response.source {
            case .network: "stored"
            case .cache(let age, let isStale): "\(isStale ? "stale" : "fresh"), \(age.text) old"
            case .validated: "confirmed by the server"
            }
        let request = response.request.map { "\("\($0)".printable): " } ?? ""
        return "= \(request)\(Self.summary(of: response)) from the cache (\(source))\(details(of: response))"
    }

    /// Returns the text of an attempt that failed.
    func failed(_ error: any Error, after elapsed: Duration, _ redaction: Redaction) -> String {
        let reason = (error as? RequestError).map { "\($0.code)" } ?? redaction.redact(text: ErrorText.of(error))
        return Self.indented("✗ failed in \(elapsed.text): \(reason)")
    }

    /// Returns the text of the end of a streamed body.
    func endOfBody(_ bytes: Int?, after elapsed: Duration) -> String {
        "← end of the body\(bytes.map { ", \($0) bytes" } ?? "") in \(elapsed.text)"
    }

    /// Returns the text of the end of a call that failed, or was cancelled.
    static func ended(_ error: any Error, _ redaction: Redaction) -> String {
        guard !(error is CancellationError) else { return "cancelled" }
        return indented("✗ \((error as? RequestError)?.description ?? redaction.redact(text: ErrorText.of(error)))")
    }

    // MARK: Parts

    private static func summary(of response: HTTPResponse) -> String {
        let size = response.isStreaming ? "a streamed body" : "\(response.body.count) bytes"
        return "\(response.status) \(response.status.name), \(size)"
    }

    /// Returns the lines of the headers, the body and the trailers, as far as the level shows them.
    private func details(of response: HTTPResponse) -> String {
        guard level >= .headers else { return "" }
        let redaction = (response.request?.redaction ?? .standard).knowing(response.request, response)
        var text = fields(response.headers, redaction)
        if level >= .body, !response.body.isEmpty {
            text += body(response.body, response.headers["Content-Type"], redaction)
        }
        return response.trailers.isEmpty ? text : text + fields(response.trailers, redaction)
    }

    private func fields(_ headers: Headers, _ redaction: Redaction) -> String {
        redaction.redact(headers).map { "\n    \($0.name.printable): \($0.value.printable)" }.joined()
    }

    /// Returns the beginning of a body that is a text. Of other bodies, the line has the size.
    private func body(_ data: Data, _ type: String?, _ redaction: Redaction) -> String {
        // Secrets are replaced before the text is cut off, so that no part of one is left.
        let margin = 4_096
        guard bodyLimit > 0, let text = redaction.text(of: data.prefix(bodyLimit + margin), contentType: type) else {
            return ""
        }
        let isWhole = data.count <= bodyLimit
        let shown = isWhole ? text : String(decoding: text.utf8.prefix(bodyLimit), as: UTF8.self)
        let rest = isWhole ? "" : "… (\(data.count) bytes in all)"
        return "\n\n    " + Self.indented(shown + rest)
    }

    /// Returns a text whose further lines are indented, so that each entry can be told from the next one. Other characters
    /// that move the cursor, colour a terminal or change the direction of text are replaced by their numbers.
    private static func indented(_ text: String) -> String {
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        return lines.map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map { String($0).printable }.joined(
                separator: "\t")
        }.joined(separator: "\n    ")
    }
}
