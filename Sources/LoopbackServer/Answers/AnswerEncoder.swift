/// An encoder that turns a response into bytes and steps.
struct AnswerEncoder {
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

    let answer: Answer
    var asked = Asked()

    /// A Boolean value that indicates whether the connection closes after the response.
    var closes: Bool {
        if answer.closes || answer.framing == .untilClose || !asked.keepsAlive { return true }
        if !isBodiless, case .none = length, !hasOwnLength { return true }
        return answer.headers.all("Connection").contains { $0.lowercased().contains("close") }
    }

    private var isBodiless: Bool {
        asked.isHead || answer.status == 204 || answer.status == 304 || (100..<200).contains(answer.status)
            || asked.isConnect && (200..<300).contains(answer.status)
    }

    private var hasOwnLength: Bool {
        answer.headers["Content-Length"] != nil || answer.headers["Transfer-Encoding"] != nil
    }

    private var length: Length {
        if answer.framing == .untilClose { return .none }
        let isChunked =
            switch answer.framing {
            case .chunked: true
            default: !answer.trailers.isEmpty
            }
        switch answer.body {
        case .chunks, .stream: return asked.minorVersion == 1 ? .chunked : .none
        case .none where !isChunked: return .known(0)
        case .bytes(let bytes) where !isChunked: return .known(bytes.count)
        case .generated(let count) where !isChunked: return .known(count)
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
        appendStatusLine(answer.status, answer.reason, to: &bytes)
        append(answer.headers, to: &bytes)
        let allowsLength = answer.status != 204 && answer.status != 304 && !(100..<200).contains(answer.status)
        if !hasOwnLength, allowsLength, !(asked.isConnect && (200..<300).contains(answer.status)) {
            switch length {
            case .known(let count): append("Content-Length: \(count)\r\n", to: &bytes)
            case .chunked: append("Transfer-Encoding: chunked\r\n", to: &bytes)
            case .none: break
            }
        }
        if answer.headers["Connection"] == nil {
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
        append("\(answer.version) \(status)\(reason.isEmpty ? "" : " \(reason)")\r\n", to: &bytes)
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
        guard answer.actions.isEmpty, answer.throttle == nil, answer.informational.isEmpty, !answer.isEarly, !closes
        else { return nil }
        switch answer.body {
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
        steps += answer.actions(at: .response)
        if case .raw(let bytes) = answer.body {
            steps += split(bytes, at: .responseHead, .responseBody)
        } else {
            steps += split(head, at: .responseHead)
            if !isBodiless {
                if answer.throttle != nil { steps.append(.throttle(answer.throttle)) }
                steps += body
                if answer.throttle != nil { steps.append(.throttle(nil)) }
            } else {
                steps += answer.actions(at: .responseBody)
            }
        }
        return steps + answer.actions(at: .end)
    }

    private var informational: [Step] {
        answer.informational.map { status, headers in
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
        let actions = moments.flatMap { answer.actions(at: $0) }
        if actions.isEmpty { return [.write(Segment(block))] }
        let half = bytes.count / 2
        return [.write(Segment(block, from: 0, to: half))] + actions
            + [.write(Segment(block, from: half, to: block.count))]
    }

    private var body: [Step] {
        let half = answer.actions(at: .responseBody)
        switch answer.body {
        case .generated(let count):
            let chunk = isChunked ? chunkSize ?? 16_384 : 0
            var steps: [Step] = []
            if half.isEmpty {
                steps.append(.generate(from: 0, to: count, chunk: chunk))
            } else {
                steps.append(.generate(from: 0, to: count / 2, chunk: chunk))
                steps += half
                steps.append(.generate(from: count / 2, to: count, chunk: chunk))
            }
            if isChunked { steps.append(.write(Segment(Block(lastChunk)))) }
            return steps
        case .stream(let write):
            let stream = AnswerStream(write)
            var steps: [Step] = []
            if !half.isEmpty { steps = [.stream(stream, isChunked: isChunked, onlyFirst: true)] + half }
            steps.append(.stream(stream, isChunked: isChunked, onlyFirst: false))
            if isChunked { steps.append(.write(Segment(Block(lastChunk)))) }
            return steps
        default:
            return split(bodyBytes ?? [], at: .responseBody)
        }
    }

    private var chunkSize: Int? {
        if case .chunked(let size) = answer.framing { size } else { nil }
    }

    private var lastChunk: [UInt8] {
        var bytes = Array("0\r\n".utf8)
        append(answer.trailers, to: &bytes)
        append("\r\n", to: &bytes)
        return bytes
    }

    /// The body as it is on the wire; nil if it is generated, streamed or raw.
    private var bodyBytes: [UInt8]? {
        switch answer.body {
        case .none: return isChunked ? lastChunk : []
        case .bytes(let bytes):
            guard isChunked else { return bytes }
            let size = chunkSize ?? max(1, bytes.count)
            let chunks = stride(from: 0, to: bytes.count, by: size).map { start in
                Answer.Chunk(bytes[start..<min(bytes.count, start + size)])
            }
            return encoded(chunks) + lastChunk
        case .chunks(let chunks, let isEnded):
            guard isChunked else { return chunks.flatMap(\.bytes) }
            return encoded(chunks) + (isEnded ? lastChunk : [])
        case .generated, .stream, .raw: return nil
        }
    }

    private func encoded(_ chunks: [Answer.Chunk]) -> [UInt8] {
        var bytes: [UInt8] = []
        for chunk in chunks {
            append("\(chunk.size ?? String(chunk.bytes.count, radix: 16))\r\n", to: &bytes)
            bytes += chunk.bytes
            append("\r\n", to: &bytes)
        }
        return bytes
    }
}
