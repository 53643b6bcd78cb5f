/// The head of a response as `URLSession` reports it: without reason and order, and with one field for each name.
package struct SessionHead: Equatable, Sendable {
    package var status: Int
    package var headers: Headers

    package init(status: Int, fields: [String: String]) {
        self.status = status
        let sorted = fields.sorted { $0.key.lowercased() < $1.key.lowercased() }
        headers = Headers(
            sorted.flatMap { name, value in
                name.isSameField(as: "Set-Cookie")
                    ? CombinedCookies.separate(value).map { (name, $0) } : [(name, value)]
            })
    }

    /// A Boolean value that indicates whether the body was encoded. It is decoded when it is delivered.
    var isEncoded: Bool {
        guard let encoding = headers["Content-Encoding"]?.lowercased() else { return false }
        return encoding != "identity" && !encoding.isEmpty
    }

    /// The head without the fields that describe the encoded bytes.
    package var decoded: SessionHead {
        guard isEncoded else { return self }
        var copy = self
        copy.headers.remove("Content-Encoding")
        copy.headers.remove("Content-Length")
        return copy
    }
}
