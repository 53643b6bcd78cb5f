#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The lines before a body, as they are kept beside it: as they came, without what was for one transfer or one user's jar
/// of cookies only.
enum StoredHead {
    /// The lines as text.
    static func text(of response: HTTPResponse) -> String {
        var text = "\(response.version) \(response.status.code)"
        if response.reason.isPlainLine, !response.reason.isEmpty { text += " \(response.reason)" }
        let named = StoredFields.named(in: response.headers.all("Connection"))
        for field in response.headers.fields where isKept(field, named: named) {
            text += "\n\(field.name): \(field.value)"
        }
        return text
    }

    /// A response with the lines of a text, and a body. Nil where the text is none of ours.
    static func response(_ text: String, body: Data) -> HTTPResponse? {
        var text = text
        let head = text.withUTF8 { ResponseHead(parsing: UnsafeRawBufferPointer($0)) }
        guard let head else { return nil }
        return HTTPResponse(
            status: head.status, reason: head.reason, version: head.version, headers: head.headers, body: body)
    }

    private static func isKept(_ field: Headers.Field, named: FieldNames) -> Bool {
        let isDropped = named.contains(field.name) || dropped.contains { field.name.isSameField(as: $0) }
        return !isDropped && field.name.isPlainLine && field.value.isPlainLine
    }

    private static let dropped = [
        "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info", "Proxy-Authorization",
        "Proxy-Connection", "Set-Cookie", "Set-Cookie2", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
    ]
}

extension String {
    /// Whether it can stand on a line of its own.
    fileprivate var isPlainLine: Bool {
        utf8.allSatisfy { $0 != 0 && $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    }
}
