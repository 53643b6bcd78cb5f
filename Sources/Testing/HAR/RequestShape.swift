/// The parts of a request by which a recorded one is found. Secrets are replaced in both. Their digests are compared, to
/// choose among requests that are the same otherwise.
struct RequestShape: Hashable, Sendable {
    enum Body: Hashable, Sendable {
        case none
        /// It is not compared: a stream, a file, or a form with files, whose boundary differs each time.
        case unknown
        case json(JSONValue)
        case form([String])
        case text(String)
        case bytes(Data)
    }

    var method: String
    /// The scheme, the host and the port.
    var origin: String
    var path: String
    /// The items of the query as `name=value`, sorted, because the order is rarely part of the meaning.
    var query: [String]
    var body: Body
    /// The digest of the secrets, or its first digits if the request was recorded.
    var digest: String?

    init(_ request: HTTPRequest, _ redaction: Redaction) {
        self.init(request.method, redaction.redact(request.url), redaction)
        guard case .data(let data) = request.body.legible else {
            body = request.body.isNone ? .none : .unknown
            return
        }
        body = data.isEmpty ? .none : Body(data, type: request.typeOfBody, redaction)
    }

    /// Creates the shape of a recorded request.
    ///
    /// - Parameter redaction: The rules of the request that is looked for. The recording may be that of a browser, with all
    ///   its secrets.
    init(_ exchange: Recording.Exchange, _ redaction: Redaction, _ secrets: SecretDigest) {
        self.init(exchange.method, URL(string: exchange.url).map(redaction.redact) ?? exchange.url, redaction)
        body =
            switch exchange.sent {
            case .none: .none
            case .unknown: .unknown
            case .data(let data, let type): Body(data, type: type, redaction)
            }
        digest = exchange.digest
        if digest == nil {
            var sent: (data: Data?, type: String) = (nil, "")
            if case .data(let data, let type) = exchange.sent { sent = (data, type) }
            let value = secrets.value(of: exchange.url, sent.data, type: sent.type, redaction)
            digest = value.map { SecretDigest.digits($0) }
        }
    }

    private init(_ method: HTTPMethod, _ url: String, _ redaction: Redaction) {
        self.method = method.rawValue
        let parts = URLParts(url[...])
        origin = "\(parts.scheme?.lowercased() ?? "")://\(parts.authority?.withoutDefaultPort(parts.scheme) ?? "")"
        let path = RequestURL.withoutNeedlessEscapes(parts.path)
            .replacing(Self.escapedEllipsis, with: Redaction.ellipsis)
        self.path = path.isEmpty ? "/" : path
        query = (parts.query ?? "").split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decode(pair[0], plusAsSpace: true)
            guard pair.count == 2 else { return name }
            let value = PercentEncoding.decode(pair[1], plusAsSpace: true)
            return "\(name)=\(redaction.hides(queryItem: name) ? Redaction.ellipsis : value)"
        }.sorted()
        body = .none
    }

    /// The ellipsis in a URL that was parsed.
    private static let escapedEllipsis = PercentEncoding.encode(Redaction.ellipsis)
}

extension RequestShape.Body {
    init(_ data: Data, type: String, _ redaction: Redaction) {
        let media = MIMEType(parsing: type)
        guard media?.type != "multipart" else {
            self = .unknown
            return
        }
        // The same steps as those of a recording, so that a body is the same in both.
        let shown = Data(redaction.redacted(data, contentType: type))
        guard let text = BodyText.of(shown, media), text.utf8.elementsEqual(shown) else {
            self = .bytes(shown)
            return
        }
        let isForm = media?.type == "application" && media?.subtype == "x-www-form-urlencoded"
        if isForm {
            self = .form(text.split(separator: "&").map { PercentEncoding.decode($0, plusAsSpace: true) }.sorted())
        } else if let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) {
            self = .json(value)
        } else {
            self = .text(text)
        }
    }
}
