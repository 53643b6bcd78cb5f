/// The message that is sent to a server.
public struct HTTPRequest: Sendable {
    /// The HTTP method.
    public var method: HTTPMethod
    /// The whole URL, with the scheme `http` or `https`.
    public var url: URL
    /// The fields before the body. Transports add the fields of the connection.
    public var headers: Headers
    /// The body.
    public var body: Body
    /// The values that the descriptions of the request redact, if they are not those of ``Redaction/standard``.
    package var ownRedaction: Redaction?

    public init(method: HTTPMethod = .get, url: URL, headers: Headers = [:], body: Body = .none) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The request without its body, for records that outlive it. The secrets of the body stay known.
    package var withoutBody: HTTPRequest {
        var request = HTTPRequest(method: method, url: url, headers: headers)
        request.ownRedaction = body.isNone ? ownRedaction : SecretBody(self).map(redaction.adding) ?? ownRedaction
        return request
    }

    /// The values that the descriptions of the request redact. In a call, they are those of its client.
    public var redaction: Redaction {
        get { ownRedaction ?? .standard }
        set { ownRedaction = newValue }
    }
}

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

extension HTTPRequest {
    /// Encodes a body for this request, and adds the header field of its compression.
    package mutating func encode(_ body: Body, with json: JSONCoding) throws {
        self.body = try body.encoded(with: json)
        guard body.isToBeCompressed, let coding = self.body.coding else { return }
        if let declared = headers["Content-Encoding"] {
            throw RequestError(
                .badBody, phase: .prepare,
                detail:
                    "the header Content-Encoding: \(declared) says that the body is compressed, and compressed() would do "
                    + "it again: remove one of them")
        }
        headers["Content-Encoding"] = coding
    }

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
