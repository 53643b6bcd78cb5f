#if DEBUG
    /// The comparable parts of a request. They detect a promise that is read again after its request has changed.
    /// Reports show no values, because these may be secrets.
    struct Fingerprint: Equatable {
        private let line: ExactString
        private let query: ExactString
        private let headers: Headers
        private let body: [UInt8]

        init<Output>(of request: Request<Output>) {
            let endpoint = request.endpoint
            line = ExactString("\(endpoint.method) \(endpoint.path)")
            query = ExactString((try? endpoint.query.encoded(request.queryStyle)) ?? "")
            headers = Headers(Array(request.headers) + Array(endpoint.headers))
            body = Self.sortedBytes(of: endpoint.body, json: request.client.configuration.json)
        }

        /// Returns the bytes of a body in sorted order, because fields made of a dictionary come in any order.
        private static func sortedBytes(of body: Body, json: JSONCoding) -> [UInt8] {
            guard case .data(let data)? = try? body.encoded(with: json).content, data.count <= 64 << 10 else {
                return []
            }
            return data.sorted()
        }

        private var place: Substring { line.text.prefix { $0 != "?" } }

        /// Returns a short text that says what has changed; nil if nothing has.
        func change(to other: Fingerprint) -> String? {
            if self == other { return nil }
            if line != other.line { return "from \(place) to \(other.place)" }
            if query != other.query { return "its query" }
            return headers == other.headers ? "its body" : "its headers"
        }
    }
#endif
