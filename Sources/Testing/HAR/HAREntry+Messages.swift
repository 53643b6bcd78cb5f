extension HAREntry.Request {
    /// Creates the request of an entry, without secrets.
    package init(_ request: HTTPRequest, version: String, _ redaction: Redaction, limit: Int) {
        let url = redaction.redact(request.url)
        self.init(
            method: request.method.rawValue, url: url, httpVersion: version,
            headers: HAREntry.pairs(of: redaction.redact(request.headers)),
            queryString: Self.query(of: url), bodySize: request.body.knownLength ?? -1)
        cookies = HAREntry.cookies(
            request.headers.all("Cookie").flatMap { $0.split(separator: ";") }.map(Substring.init))
        let type = request.typeOfBody
        if !request.body.isNone {
            postData = HAREntry.PostData(mimeType: redaction.redact(type, ofHeader: "Content-Type"), text: "")
        }
        if case .data(let data) = request.body.legible { postData?.set(data, type, redaction, limit: limit) }
    }

    private static func query(of url: String) -> [HAREntry.Pair] {
        guard let start = url.firstIndex(of: "?") else { return [] }
        let query = url[url.index(after: start)...].prefix { $0 != "#" }
        return HAREntry.pairs(ofForm: query)
    }
}

extension HAREntry.PostData {
    fileprivate mutating func set(_ body: Data, _ type: String, _ redaction: Redaction, limit: Int) {
        guard body.count <= limit else { return }
        (text, _encoding) = redaction.recorded(body, contentType: type)
        let isForm = type.lowercased().hasPrefix("application/x-www-form-urlencoded")
        if isForm, _encoding == nil { params = HAREntry.pairs(ofForm: text) }
    }
}

extension HAREntry.Response {
    /// Creates the response of an entry, without secrets.
    package init(_ response: HTTPResponse, _ redaction: Redaction, limit: Int) {
        let type = response.headers["Content-Type"] ?? ""
        let received = response.source == .network ? response.metrics.bodyBytesReceived : 0
        self.init(
            status: response.status.code, statusText: redaction.redact(text: response.reason),
            httpVersion: "\(response.version)",
            headers: HAREntry.pairs(of: redaction.redact(response.headers)),
            content: HAREntry.Content(
                size: response.body.count, mimeType: redaction.redact(type, ofHeader: "Content-Type")),
            redirectURL: response.headers["Location"].map { redaction.redact($0, ofHeader: "Location") } ?? "",
            bodySize: received)
        cookies = HAREntry.cookies(response.headers.all("Set-Cookie").map { $0.prefix { $0 != ";" } })
        if !response.trailers.isEmpty {
            _trailers = HAREntry.pairs(of: redaction.redact(response.trailers))
        }
        if response.source == .network, received > 0, received < response.body.count {
            content.compression = response.body.count - received
        }
        guard response.body.count <= limit else {
            content.comment = "the body is longer than \(limit) bytes, the limit of the recorder"
            return
        }
        (content.text, content.encoding) = redaction.recorded(response.body, contentType: type)
    }

    /// Creates the response of an attempt without one: the status is 0, as in browsers.
    package init() {
        self.init(
            status: 0, statusText: "", httpVersion: "", headers: [],
            content: HAREntry.Content(size: 0, mimeType: ""), redirectURL: "", bodySize: -1)
    }
}

extension HAREntry.Content {
    /// The content of a response whose body was not recorded. Its size is known unless the body was decoded.
    package static func streamed(_ response: HTTPResponse, type: String) -> HAREntry.Content {
        HAREntry.Content(
            size: response.headers["Content-Encoding"] == nil ? response.metrics.bodyBytesReceived : -1,
            mimeType: type, comment: "the body was streamed and is not recorded")
    }
}

extension HAREntry {
    /// Returns the names of cookies. All values are secrets, and a text without an equals sign is a value.
    fileprivate static func cookies(_ pairs: [Substring]) -> [Pair] {
        pairs.compactMap { pair in
            guard let equals = pair.firstIndex(of: "=") else { return nil }
            let name = pair[..<equals].filter { $0 != " " }
            return name.isEmpty ? nil : Pair(name: name, value: Redaction.ellipsis)
        }
    }

    fileprivate static func pairs(of headers: Headers) -> [Pair] {
        headers.map { Pair(name: $0.name, value: $0.value) }
    }

    fileprivate static func pairs(ofForm text: some StringProtocol) -> [Pair] {
        text.split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Pair(
                name: PercentEncoding.decode(pair[0], plusAsSpace: true),
                value: pair.count == 2 ? PercentEncoding.decode(pair[1], plusAsSpace: true) : "")
        }
    }
}

extension HTTPRequest {
    /// The type of the body, as it is sent; empty if there is none.
    var typeOfBody: String { headers["Content-Type"] ?? body.contentType ?? "" }
}
