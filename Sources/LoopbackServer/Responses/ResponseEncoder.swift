/// An encoder that turns a response into bytes and steps.
struct ResponseEncoder {
    /// The properties of the request that affect the response.
    struct Asked {
        var isHead = false
        var isConnect = false
        var minorVersion = 1
        var keepsAlive = true
        /// A Boolean value that indicates whether the client sent `keep-alive`, as clients of HTTP/1.0 must.
        var namesKeepAlive = false
    }

    private enum Length {
        case known(Int)
        case chunked
        case none
    }

    let response: Response
    var asked = Asked()

    var closes: Bool {
        if response.closes || response.framing == .untilClose || !asked.keepsAlive { return true }
        if !isBodiless, case .none = length, !hasOwnLength { return true }
        return response.headers.all("Connection").contains { $0.lowercased().contains("close") }
    }

    private var isBodiless: Bool { asked.isHead || isLengthless }

    /// A Boolean value that indicates whether the status forbids a body, and a length too.
    private var isLengthless: Bool {
        response.status == 204 || response.status == 304 || (100..<200).contains(response.status)
            || asked.isConnect && (200..<300).contains(response.status)
    }

    private var hasOwnLength: Bool {
        response.headers["Content-Length"] != nil || response.headers["Transfer-Encoding"] != nil
    }

    private var length: Length {
        if response.framing == .untilClose { return .none }
        let isChunked = chunkSize != nil || !response.trailers.isEmpty
        switch response.body {
        case .chunks, .stream: return asked.minorVersion == 1 ? .chunked : .none
        case .none where !isChunked: return .known(0)
        case .bytes(let bytes) where !isChunked: return .known(bytes.count)
        case .generated(let count) where !isChunked: return .known(count)
        case .part(let range) where !isChunked: return .known(range.count)
        case .raw: return .known(0)
        default: return asked.minorVersion == 1 ? .chunked : .none
        }
    }

    private var isChunked: Bool {
        if case .chunked = length { true } else { false }
    }

    // MARK: The head

    var head: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        appendStatusLine(response.status, response.reason, to: &bytes)
        append(response.headers, to: &bytes)
        if !hasOwnLength, !isLengthless {
            switch length {
            case .known(let count): append("Content-Length: \(count)\r\n", to: &bytes)
            case .chunked: append("Transfer-Encoding: chunked\r\n", to: &bytes)
            case .none: break
            }
        }
        if response.headers["Connection"] == nil {
            if closes {
                append("Connection: close\r\n", to: &bytes)
            } else if asked.namesKeepAlive, asked.minorVersion == 0 {
                append("Connection: keep-alive\r\n", to: &bytes)
            }
        }
        append("\r\n", to: &bytes)
        return bytes
    }

    private func appendStatusLine(_ status: Int, _ reason: String?, to bytes: inout [UInt8]) {
        let reason = reason ?? Reason.of(status)
        append("\(response.version) \(status)\(reason.isEmpty ? "" : " \(reason)")\r\n", to: &bytes)
    }

    private func append(_ headers: HeaderLines, to bytes: inout [UInt8]) {
        for line in headers.lines {
            bytes.append(contentsOf: line.bytes)
            append("\r\n", to: &bytes)
        }
    }

    private func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: text.utf8)
    }

    // MARK: Steps

    /// The whole response in one block. Nil if it has actions, a throttle, 1xx responses or a body above 64 KB, is
    /// early, generated or streamed, or closes the connection.
    var simple: Block? {
        guard response.actions.isEmpty, response.throttle == nil, response.informational.isEmpty,
            !response.isEarly, !closes
        else { return nil }
        switch response.body {
        case .none, .bytes, .chunks:
            let body = isBodiless ? [] : bodyBytes ?? []
            guard body.count <= 64 << 10 else { return nil }
            return Block(head + body)
        default: return nil
        }
    }

    /// Returns all steps of the response, including its actions from `.response` to `.end`.
    func steps() -> [Step] {
        var steps = informational
        steps += response.actions(at: .response)
        if case .raw(let bytes) = response.body {
            steps += split(bytes, at: .responseHead, .responseBody)
        } else {
            steps += split(head, at: .responseHead)
            if !isBodiless {
                if response.throttle != nil { steps.append(.throttle(response.throttle)) }
                steps += body
                if response.throttle != nil { steps.append(.throttle(nil)) }
            } else {
                steps += response.actions(at: .responseBody)
            }
        }
        return steps + response.actions(at: .end)
    }

    private var informational: [Step] {
        response.informational.map { status, headers in
            var bytes: [UInt8] = []
            appendStatusLine(status, nil, to: &bytes)
            append(headers, to: &bytes)
            append("\r\n", to: &bytes)
            return .write(Segment(Block(bytes)))
        }
    }

    /// Returns steps that write bytes, with the actions of the moments half-way.
    private func split(_ bytes: [UInt8], at moments: Fault.Moment...) -> [Step] {
        let block = Block(bytes)
        let actions = moments.flatMap { response.actions(at: $0) }
        if actions.isEmpty { return [.write(Segment(block))] }
        let half = bytes.count / 2
        return [.write(Segment(block, from: 0, to: half))] + actions
            + [.write(Segment(block, from: half, to: block.count))]
    }

    private var body: [Step] {
        let half = response.actions(at: .responseBody)
        switch response.body {
        case .generated(let count): return generated(0..<count, half)
        case .part(let range): return generated(range, half)
        case .stream(let write):
            let stream = ResponseStream(write)
            var steps: [Step] = []
            if !half.isEmpty { steps = [.stream(stream, isChunked: isChunked, onlyFirst: true)] + half }
            steps.append(.stream(stream, isChunked: isChunked, onlyFirst: false))
            if isChunked { steps.append(.write(Segment(Block(lastChunk)))) }
            return steps
        default:
            return split(bodyBytes ?? [], at: .responseBody)
        }
    }

    private func generated(_ range: Range<Int>, _ half: [Step]) -> [Step] {
        let chunk = isChunked ? chunkSize ?? 16_384 : 0
        let middle = half.isEmpty ? range.upperBound : range.lowerBound + range.count / 2
        var steps = [Step.generate(from: range.lowerBound, to: middle, chunk: chunk)] + half
        if !half.isEmpty { steps.append(.generate(from: middle, to: range.upperBound, chunk: chunk)) }
        if isChunked { steps.append(.write(Segment(Block(lastChunk)))) }
        return steps
    }

    private var chunkSize: Int? {
        if case .chunked(let size) = response.framing { size } else { nil }
    }

    private var lastChunk: [UInt8] {
        var bytes = Array("0\r\n".utf8)
        append(response.trailers, to: &bytes)
        append("\r\n", to: &bytes)
        return bytes
    }

    /// The body as it is on the wire; nil if it is generated, streamed or raw.
    private var bodyBytes: [UInt8]? {
        switch response.body {
        case .none: return isChunked ? lastChunk : []
        case .bytes(let bytes):
            guard isChunked else { return bytes }
            let size = chunkSize ?? max(1, bytes.count)
            let chunks = stride(from: 0, to: bytes.count, by: size).map { start in
                Response.Chunk(bytes[start..<min(bytes.count, start + size)])
            }
            return encoded(chunks) + lastChunk
        case .chunks(let chunks, let isEnded):
            guard isChunked else { return chunks.flatMap(\.bytes) }
            return encoded(chunks) + (isEnded ? lastChunk : [])
        case .generated, .part, .stream, .raw: return nil
        }
    }

    private func encoded(_ chunks: [Response.Chunk]) -> [UInt8] {
        var bytes: [UInt8] = []
        for chunk in chunks {
            append("\(chunk.size ?? String(chunk.bytes.count, radix: 16))\r\n", to: &bytes)
            bytes += chunk.bytes
            append("\r\n", to: &bytes)
        }
        return bytes
    }
}

/// The usual reason phrases.
enum Reason {
    static func of(_ status: Int) -> String {
        texts[status] ?? "Status \(status)"
    }

    private static let texts = [
        100: "Continue", 101: "Switching Protocols", 102: "Processing", 103: "Early Hints",
        200: "OK", 201: "Created", 202: "Accepted", 203: "Non-Authoritative Information", 204: "No Content",
        205: "Reset Content", 206: "Partial Content",
        300: "Multiple Choices", 301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified",
        307: "Temporary Redirect", 308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found",
        405: "Method Not Allowed", 406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout",
        409: "Conflict", 410: "Gone", 411: "Length Required", 412: "Precondition Failed", 413: "Content Too Large",
        414: "URI Too Long", 415: "Unsupported Media Type", 416: "Range Not Satisfiable", 417: "Expectation Failed",
        418: "I'm a teapot", 421: "Misdirected Request", 422: "Unprocessable Content", 425: "Too Early",
        426: "Upgrade Required", 428: "Precondition Required", 429: "Too Many Requests",
        431: "Request Header Fields Too Large", 451: "Unavailable For Legal Reasons",
        500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable",
        504: "Gateway Timeout", 505: "HTTP Version Not Supported", 507: "Insufficient Storage",
        511: "Network Authentication Required",
    ]
}
