extension Validation {
    /// Requires a status in a range: `.status(200..<400)`.
    public static func status(_ range: some RangeExpression<Int> & Sendable) -> Validation {
        Validation(isQuick: true) { response, _ in
            guard !range.contains(response.status.code) else { return }
            throw badStatus(response, expected: words(for: range))
        }
    }

    /// Requires one of these statuses: `.status([200, 304])`.
    public static func status(_ statuses: Set<HTTPStatus>) -> Validation {
        Validation(isQuick: true) { response, _ in
            guard !statuses.contains(response.status) else { return }
            throw badStatus(response, expected: statuses.sorted().map(\.description).joined(separator: ", "))
        }
    }

    /// Returns a range as it is written in Swift.
    private static func words(for range: some RangeExpression<Int>) -> String {
        switch range {
        case let range as PartialRangeFrom<Int>: "\(range.lowerBound)..."
        case let range as PartialRangeUpTo<Int>: "..<\(range.upperBound)"
        case let range as PartialRangeThrough<Int>: "...\(range.upperBound)"
        default: "\(range)"
        }
    }

    private static func badStatus(_ response: HTTPResponse, expected: String) -> RequestError {
        var detail = "the status is \(response.status) \(response.status.name), expected \(expected)"
        if response.status.isRedirect {
            let location = response.headers["Location"].map { Redaction.standard.redact($0, ofHeader: "Location") }
            detail += location.map { "; the redirect to \($0) was not followed" } ?? "; it names no URL to follow"
        }
        if let advice = advice(for: response.status) { detail += ": \(advice)" }
        return RequestError(.badStatus, phase: .decode, detail: detail)
    }

    private static func advice(for status: HTTPStatus) -> String? {
        switch status {
        case .unauthorized, .forbidden: "check the credentials"
        case .notFound, .gone: "check the URL"
        case .requestTimeout, .tooEarly, .tooManyRequests, 500..<600: "try again later"
        case 400..<500: "check the request, and the body of the response for the reason"
        default: nil
        }
    }

    /// Requires one of these content types, with any parameters: `application/json`, `image/*`, `application/*+json`,
    /// `*/*`.
    ///
    /// A response without a body passes.
    public static func contentType(_ patterns: String...) -> Validation {
        contentType(patterns)
    }

    /// Requires one of these content types.
    public static func contentType(_ patterns: [String]) -> Validation {
        Validation(isQuick: true) { response, _ in
            guard response.isStreaming || !response.body.isEmpty, !response.isBodiless else { return }
            let value = response.headers["Content-Type"]
            if let type = value.flatMap({ MIMEType(parsing: $0) }),
                patterns.contains(where: { MIMEType(parsing: $0).map(type.matches(essenceOf:)) ?? false })
            {
                return
            }
            throw RequestError(
                .badContentType, phase: .decode,
                detail: "the content type is \(value.map(\.debugDescription) ?? "missing"), "
                    + "expected \(patterns.joined(separator: ", ")): check the URL, or whether a proxy or a page to sign in responded"
            )
        }
    }
}
