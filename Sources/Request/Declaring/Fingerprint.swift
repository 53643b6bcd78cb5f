#if DEBUG
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// What a request asks for, as far as it can be compared: so that a promise that is read again after its request has
    /// changed can be reported. It is shown without values, which may be secrets.
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

        /// Sorted, because dictionaries come in any order.
        private static func sortedBytes(of body: Body, json: JSONCoding) -> [UInt8] {
            guard case .data(let data)? = try? body.encoded(with: json).content, data.count <= 64 << 10 else {
                return []
            }
            return data.sorted()
        }

        private var place: Substring { line.text.prefix { $0 != "?" } }

        /// What has changed, in a few words.
        func change(to other: Fingerprint) -> String? {
            if self == other { return nil }
            if line != other.line { return "from \(place) to \(other.place)" }
            if query != other.query { return "its query" }
            return headers == other.headers ? "its body" : "its headers"
        }
    }
#endif
