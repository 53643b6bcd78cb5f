/// The parts of a HAR file that a replay needs. Other programs leave some of the fields out, also required ones.
struct HARReading: Decodable {
    struct Log: Decodable {
        var version: String?
        var _digestKey: String?
        var entries: [Entry]
    }

    struct Entry: Decodable {
        var request: Request
        var response: Response
        var _cache: String?
        var _call: UInt64?
        var _attempt: Int?
        var _cause: String?
    }

    struct Request: Decodable {
        var method: String
        var url: String
        var bodySize: Int?
        var postData: PostData?
        var _digest: String?
    }

    struct PostData: Decodable {
        var mimeType: String?
        var text: String?
        var _encoding: String?
    }

    struct Response: Decodable {
        var status: Int
        var statusText: String?
        var httpVersion: String?
        var headers: [HAREntry.Pair]?
        var content: Content?
        var _trailers: [HAREntry.Pair]?
        var _code: String?

        var location: String? { headers?.first { $0.name.isSameField(as: "Location") }?.value }
    }

    struct Content: Decodable {
        var size: Int?
        var text: String?
        var encoding: String?
    }

    var log: Log

    private static let versions: Set<String> = ["1.1", "1.2"]

    static func read(_ data: Data, name: String) throws(RecordingError) -> Log {
        let log: Log
        do {
            log = try JSONDecoder().decode(HARReading.self, from: data).log
        } catch let error as DecodingError {
            throw RecordingError(message: problem(error, data, name))
        } catch {
            throw RecordingError(message: "\(name) is not a HAR file: \(error)")
        }
        // A missing version stands for 1.1.
        if let version = log.version, !version.isEmpty, !versions.contains(version) {
            throw RecordingError(
                message: "\(name) has the version \(version) of the format, and only 1.1 and 1.2 can be read. "
                    + "Export it again as HAR 1.2.")
        }
        return log
    }

    private static func problem(_ error: DecodingError, _ data: Data, _ name: String) -> String {
        let isJSON = (try? JSONDecoder().decode(JSONValue.self, from: data)) != nil
        guard !isJSON else {
            return "\(name) is not a HAR file: \(DecodingProblem(error, format: "JSON", body: data))."
        }
        let text = String(decoding: data.suffix(64), as: UTF8.self)
        let isWhole = text.last { !$0.isWhitespace } == "}"
        let cause = data.isEmpty ? "is empty" : isWhole ? "is not JSON" : "is incomplete: it ends before its JSON does"
        return "\(name) \(cause). Record it again."
    }
}

extension HARReading {
    /// A value of an entry that cannot be used, in words.
    struct Problem: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    static func exchanges(_ log: Log, name: String) throws(RecordingError) -> [Recording.Exchange] {
        let indices = log.entries.indices.filter { log.entries[$0]._cache == nil }
        var exchanges: [Recording.Exchange] = []
        for index in indices {
            let target = target(of: index, log.entries)
            do throws(Problem) {
                var exchange = try Recording.Exchange(log.entries[index], target: target.map { log.entries[$0] })
                exchange.next = target.flatMap(indices.firstIndex)
                exchanges.append(exchange)
            } catch {
                throw RecordingError(
                    message: "\(name) cannot be replayed: log.entries[\(index)].\(error.text). Export it again.")
            }
        }
        return exchanges
    }

    /// Returns the entry to which a response redirected its call, if its `Location` has a secret.
    private static func target(of index: Int, _ entries: [Entry]) -> Int? {
        let entry = entries[index]
        guard entry.response.location?.contains(Redaction.ellipsis) == true, let call = entry._call,
            let attempt = entry._attempt
        else { return nil }
        return entries[index...].firstIndex {
            $0._call == call && $0._attempt == attempt + 1 && $0._cause == "redirect"
        }
    }

    static func bytes(_ text: String, _ encoding: String?, _ place: String) throws(Problem) -> Data {
        switch encoding?.lowercased() ?? "" {
        case "", "utf-8", "utf8": return Data(text.utf8)
        case "base64":
            // Some programs break its lines.
            guard let data = Data(base64Encoded: Data(text.utf8.filter { $0 != 10 && $0 != 13 })) else {
                throw Problem("\(place).text is not base64, which its encoding says")
            }
            return data
        default: throw Problem("\(place) has the encoding \((encoding ?? "").debugDescription), which is not base64")
        }
    }
}

extension Recording.Exchange {
    /// Creates the exchange of an entry.
    fileprivate init(_ entry: HARReading.Entry, target: HARReading.Entry?) throws(HARReading.Problem) {
        method = HTTPMethod(rawValue: entry.request.method)
        url = entry.request.url
        sent = try Recording.SentBody(entry.request)
        digest = entry.request._digest
        let location = entry.response.location == Redaction.ellipsis ? target?.request.url : nil
        isCancelled = entry.response._code == HAREntry.cancelled
        let hasHead = entry.response.status != 0 && (entry.response._code == nil || isCancelled)
        response = hasHead ? try HTTPResponse(entry.response, to: method, location: location) : nil
        if hasHead || isCancelled {
            error = nil
        } else {
            error = entry.response._code.map(RequestError.Code.init(rawValue:)) ?? .connectionLost
        }
        let hasBody = entry.response.content?.text != nil || entry.response.content?.size ?? 0 == 0
        isComplete = !hasHead || hasBody && !isCancelled
    }
}

extension Recording.SentBody {
    fileprivate init(_ request: HARReading.Request) throws(HARReading.Problem) {
        let text = request.postData?.text ?? ""
        let type = request.postData?.mimeType ?? ""
        if !text.isEmpty {
            self = .data(try HARReading.bytes(text, request.postData?._encoding, "request.postData"), type: type)
        } else {
            self = request.postData != nil && request.bodySize != 0 ? .unknown : .none
        }
    }
}

extension HTTPResponse {
    /// Creates the response of an entry. Its body is decoded, so the coding is left out, and so is a length that is another
    /// one. The response to `HEAD` has no body, and keeps both. Headers that are secret as a whole are left out.
    fileprivate init(
        _ recorded: HARReading.Response, to method: HTTPMethod, location: String?
    ) throws(HARReading.Problem) {
        let content = recorded.content
        guard (100...999).contains(recorded.status) else {
            throw HARReading.Problem("response.status is \(recorded.status), and a status has three digits")
        }
        let body = try HARReading.bytes(content?.text ?? "", content?.encoding, "response.content")
        var headers = Headers(recorded: recorded.headers, isOfHead: method == .head, length: body.count)
        if let location { headers["Location"] = location }
        self.init(
            status: HTTPStatus(recorded.status), reason: recorded.statusText ?? "",
            version: HTTPVersion(recorded: recorded.httpVersion ?? ""), headers: headers, body: body,
            trailers: Headers(recorded: recorded._trailers, isOfHead: false, length: body.count))
    }
}

extension HTTPVersion {
    /// Creates a version from its name, such as `HTTP/1.1` or `h2`. An unknown name is HTTP/1.1.
    fileprivate init(recorded name: String) {
        self =
            switch name.lowercased().filter({ $0 != "/" }).drop(while: { $0 != "h" }) {
            case "http1.0": .http1_0
            case "http2", "http2.0", "h2": .http2
            case "http3", "http3.0", "h3": .http3
            default: .http1_1
            }
    }
}

extension Headers {
    fileprivate init(recorded pairs: [HAREntry.Pair]?, isOfHead: Bool, length: Int) {
        self.init()
        for pair in pairs ?? [] {
            let isKept =
                switch pair.name.lowercased() {
                case "transfer-encoding", "connection", "keep-alive": false
                case "content-encoding": isOfHead
                case "content-length": isOfHead || Int(pair.value) == length
                default: !pair.name.hasPrefix(":") && pair.value != Redaction.ellipsis
                }
            if isKept { append(name: pair.name, value: pair.value) }
        }
    }
}
