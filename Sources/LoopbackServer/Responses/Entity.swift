/// A file on the server: a body with validators, of which clients can request ranges (RFC 9110, 14).
///
/// ```swift
/// server.answer("/film.mp4", with: Entity(bytes: 2 << 30))
/// server.answer("/flaky.mp4") { request in
///     Entity(bytes: 1 << 20).response(to: request).failing(.reset, at: .responseBody)
/// }
/// ```
///
/// The body is generated, so that gigabytes take no memory: byte `i` of it is `i % 251`, also in a range.
public struct Entity: Sendable {
    /// The number of bytes.
    public var bytes: Int
    /// The `ETag`, with its quotes; nil for none.
    public var etag: String?
    /// The `Last-Modified`; nil for none.
    public var lastModified: String?
    /// The `Date` of responses; nil for none.
    public var date: String?
    /// A Boolean value that indicates whether ranges are sent. If not, every response has the whole body.
    public var allowsRanges = true
    /// Further header lines of responses that have bytes of the body.
    public var headers = HeaderLines()

    public init(bytes: Int, etag: String? = "\"1\"", lastModified: String? = nil, date: String? = nil) {
        self.bytes = max(0, bytes)
        self.etag = etag
        self.lastModified = lastModified
        self.date = date
    }

    /// Returns the response to a request: the whole body, one range of it, or a 416.
    ///
    /// A `Range` with several ranges, or in another form than `bytes=0-99`, `bytes=100-` and `bytes=-100`, is ignored.
    public func response(to request: RecordedRequest) -> Response {
        guard allowsRanges, let range = request.headers["Range"], matches(request.headers["If-Range"]),
            let wanted = Self.ends(of: range)
        else {
            return Response(headers: fields(), body: .generated(bytes: bytes))
        }
        let part =
            switch wanted {
            case (let first?, let last): first..<max(first, min(last ?? bytes - 1, bytes - 1) + 1)
            case (nil, let count): max(0, bytes - (count ?? 0))..<bytes
            }
        guard !part.isEmpty, part.lowerBound < bytes else {
            return Response(status: 416, headers: ["Content-Range": "bytes */\(bytes)"])
        }
        var headers = fields()
        headers.append("Content-Range", "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes)")
        return Response(status: 206, headers: headers, body: .part(part))
    }

    private func fields() -> HeaderLines {
        var fields: HeaderLines = ["Content-Type": "application/octet-stream"]
        if let etag { fields.append("ETag", etag) }
        if let lastModified { fields.append("Last-Modified", lastModified) }
        if let date { fields.append("Date", date) }
        if allowsRanges { fields.append("Accept-Ranges", "bytes") }
        fields.lines += headers.lines
        return fields
    }

    /// Returns whether an `If-Range` names this version. A weak tag never does.
    private func matches(_ condition: String?) -> Bool {
        guard let condition else { return true }
        guard !condition.utf8.starts(with: "W/".utf8) else { return false }
        return [etag, lastModified].contains { $0.map { $0.utf8.elementsEqual(condition.utf8) } ?? false }
    }

    /// Returns the two numbers of a single range; nil if the text has another form.
    private static func ends(of text: String) -> (Int?, Int?)? {
        guard text.lowercased().utf8.starts(with: "bytes=".utf8) else { return nil }
        let numbers = text.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2 else { return nil }
        let first = Int(numbers[0])
        let last = Int(numbers[1])
        guard first != nil || numbers[0].isEmpty, last != nil || numbers[1].isEmpty, first != nil || last != nil else {
            return nil
        }
        if let first, let last, last < first { return nil }
        return (first, last)
    }
}
