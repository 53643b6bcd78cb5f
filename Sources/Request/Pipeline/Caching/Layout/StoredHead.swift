/// The head of a response as text, for observers that read or change what is stored.
enum StoredHead {
    static func text(_ status: HTTPStatus, _ reason: String, _ version: HTTPVersion, _ headers: Headers) -> String {
        var text = "\(version) \(status.code)"
        if reason.isPlainLine, !reason.isEmpty { text += " \(reason)" }
        for field in headers.fields { text += "\n\(field.name): \(field.value)" }
        return text
    }

    /// Returns the response with the head of a text; nil if the text has another form.
    static func response(_ text: String, body: Data) -> HTTPResponse? {
        var text = text
        let head = text.withUTF8 { ResponseHead(parsing: UnsafeRawBufferPointer($0)) }
        guard let head else { return nil }
        return HTTPResponse(
            status: head.status, reason: head.reason, version: head.version, headers: head.headers, body: body)
    }
}

extension String {
    /// A Boolean value that indicates whether the text fits on one line.
    var isPlainLine: Bool {
        utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }
}
