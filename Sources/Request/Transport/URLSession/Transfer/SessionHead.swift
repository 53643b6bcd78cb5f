/// The head of a response, as far as `URLSession` tells it: no reason, no order, and one field for each name.
struct SessionHead: Equatable, Sendable {
    var status: Int
    var headers: Headers

    init(status: Int, fields: [String: String]) {
        self.status = status
        let sorted = fields.sorted { $0.key.lowercased() < $1.key.lowercased() }
        headers = Headers(
            sorted.flatMap { name, value in
                name.isSameField(as: "Set-Cookie")
                    ? CombinedCookies.separate(value).map { (name, $0) } : [(name, value)]
            })
    }

    /// Whether the body was encoded, and is decoded by now.
    var isEncoded: Bool {
        guard let encoding = headers["Content-Encoding"]?.lowercased() else { return false }
        return encoding != "identity" && !encoding.isEmpty
    }

    /// How many bytes the server has announced, encoded or not.
    var announcedLength: Int? { headers.contentLength }

    /// The head without what spoke of other bytes than those that are delivered.
    var decoded: SessionHead {
        guard isEncoded else { return self }
        var copy = self
        copy.headers.remove("Content-Encoding")
        copy.headers.remove("Content-Length")
        return copy
    }
}
