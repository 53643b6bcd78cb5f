#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The parts of a HAR file that a replay needs. Other programs leave some of the fields out, also required ones.
struct HARReading: Decodable {
    struct Log: Decodable {
        var version: String?
        var entries: [Entry]
    }

    struct Entry: Decodable {
        var request: Request
        var response: Response
        var _cache: String?
    }

    struct Request: Decodable {
        var method: String
        var url: String
        var bodySize: Int?
        var postData: PostData?
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
    }

    struct Content: Decodable {
        var size: Int?
        var text: String?
        var encoding: String?
    }

    var log: Log

    private static let versions: Set<String> = ["1.1", "1.2"]

    static func read(_ data: Data, name: String) throws(RecordingError) -> [Entry] {
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
        return log.entries
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

extension Recording.Exchange {
    /// Creates the exchange of an entry; nil if no server took part in it, or if it was cancelled.
    init?(_ entry: HARReading.Entry) {
        guard entry._cache == nil, entry.response._code != HAREntry.cancelled else {
            return nil
        }
        method = HTTPMethod(rawValue: entry.request.method)
        url = entry.request.url
        sent = Recording.SentBody(entry.request)
        guard entry.response.status != 0, entry.response._code == nil else {
            response = nil
            error = entry.response._code.map(RequestError.Code.init(rawValue:)) ?? .connectionLost
            isComplete = true
            return
        }
        response = HTTPResponse(entry.response)
        error = nil
        isComplete = entry.response.content?.text != nil || entry.response.content?.size ?? 0 == 0
    }
}

extension Recording.SentBody {
    init(_ request: HARReading.Request) {
        let text = request.postData?.text ?? ""
        let type = request.postData?.mimeType ?? ""
        if let post = request.postData, post._encoding == "base64", let bytes = Data(base64Encoded: text) {
            self = .bytes(bytes)
        } else if !text.isEmpty {
            self = .text(text, type: type)
        } else {
            self = request.postData != nil && request.bodySize != 0 ? .unknown : .none
        }
    }
}

extension HTTPResponse {
    /// Creates the response of an entry. Its body is decoded, so headers about the coding and the length are left out. The
    /// same applies to headers with a secret that was replaced.
    init(_ recorded: HARReading.Response) {
        let content = recorded.content
        let text = content?.text ?? ""
        self.init(
            status: HTTPStatus(recorded.status), reason: recorded.statusText ?? "",
            version: HTTPVersion(recorded: recorded.httpVersion ?? ""),
            headers: Headers(recorded: recorded.headers),
            body: content?.encoding == "base64" ? Data(base64Encoded: text) ?? Data() : Data(text.utf8),
            trailers: Headers(recorded: recorded._trailers))
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
    private static let ofTransfer: Set<String> = [
        "content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive",
    ]

    fileprivate init(recorded pairs: [HAREntry.Pair]?) {
        self.init()
        for pair in pairs ?? [] {
            let isOfTransfer = Self.ofTransfer.contains(pair.name.lowercased()) || pair.name.hasPrefix(":")
            guard !isOfTransfer, !pair.value.contains(Redaction.ellipsis) else { continue }
            append(name: pair.name, value: pair.value)
        }
    }
}
