/// The bytes of a download that are on the disk, from an earlier attempt or an earlier process.
struct PartialContent: Hashable, Sendable {
    var count: Int
    /// Nil if the server sent no strong validator: the bytes cannot be used again.
    var validator: ResumeValidator?
    /// The number of bytes of the whole file, if the server has announced it.
    var total: Int?
    /// The bytes on the disk, if there may be gaps; nil for those from the beginning of the file.
    var parts: FileRanges?
    /// The fields of the response that began the file; nil if they are unknown.
    var fields: FileFields?
}

/// The decisions about ranges: what a download requests, and what it does with the response.
///
/// ```text
/// sent         response                                        decision
/// no range     206                                             refuse
/// no range     other status of success                         begin
/// a range      206 that begins at the offset, with the total   append
/// a range      206 that is encoded                             again, without a range
/// a range      206 with another validator, range or total      again, without a range
/// a part       206 that begins at the offset, and ends later   again, without a range
/// a range      416, and the total is the offset                complete, or again if the call refuses the type
/// a range      other 416                                       again, without a range
/// a range      other status of success                         begin: the server sends the whole file
/// any          204, 205, and an encoded status of success      refuse
/// any          other status                                    pass: the call decides
/// ```
enum ResumeDecision: Hashable, Sendable {
    /// Write the body from the beginning of the file.
    case begin(total: Int?)
    /// Write the body after the bytes on the disk. If it ends before the file, or the total is unknown, request what follows.
    case append(total: Int?)
    case complete
    /// Send the request again, without a range.
    case again
    /// The response cannot be used.
    case refuse(String)
    /// The response has nothing for the file.
    case pass

    /// The offset at which a request begins, with the validator for its `If-Range`; nil for the whole file.
    struct Start: Hashable, Sendable {
        var offset: Int
        let validator: ResumeValidator
        let total: Int?
        /// The fields of the response that began the file; nil if they are unknown.
        var fields: FileFields?
        /// The offset after the last byte that is requested; nil for all bytes that follow.
        var end: Int?
        /// The bytes on the disk, for a file in parts.
        var present = FileRanges()
        /// The parts that are missing, of which the range is the first; empty for a file without parts.
        var parts: [Range<Int>] = []
    }

    /// Returns the range that a request asks for; nil for the whole file.
    ///
    /// A file whose record has parts is continued in parts, also over one connection.
    static func start(after partial: PartialContent?, isGet: Bool, _ wanted: DownloadParts = .one) -> Start? {
        guard isGet, let partial, partial.count > 0, let validator = partial.validator,
            partial.total.map({ partial.count <= $0 }) ?? true
        else { return nil }
        var start = Start(
            offset: partial.count, validator: validator, total: partial.total, fields: partial.fields)
        guard let total = partial.total else { return start }
        let present = partial.parts ?? FileRanges([0..<partial.count])
        let parts = PartSplit.parts(of: present.missing(of: total), wanted)
        guard let first = parts.first, parts.count > 1 || partial.parts != nil else { return start }
        start.offset = first.lowerBound
        start.end = first.upperBound
        start.present = present
        start.parts = parts
        return start
    }

    /// Returns the decision about a response.
    static func of(
        _ status: HTTPStatus, _ headers: Headers, isDecoded: Bool = false, after start: Start?
    ) -> ResumeDecision {
        let encodings = headers.contentEncodings
        switch status.code {
        case 204, 205: return .refuse("the response has the status \(status), which has no body: check the URL")
        case 206:
            guard let start else {
                return .refuse("the response has a part of the file, although the whole file was requested")
            }
            // The bytes of an encoding are not those of the file, nor can a part of them be decoded.
            guard !isDecoded, encodings.isEmpty else { return .again }
            guard let range = range(in: headers), range.bytes.lowerBound == start.offset,
                start.total == nil || range.total == start.total,
                range.total.map({ range.bytes.upperBound <= $0 }) ?? true,
                start.end.map({ range.bytes.upperBound <= $0 }) ?? true,
                !start.validator.isContradicted(by: headers)
            else { return .again }
            return .append(total: range.total)
        case 416:
            guard let start else { return .pass }
            let values = headers.all("Content-Range")
            guard values.count == 1, let total = ContentRange.unsatisfiedTotal(values[0]), total == start.offset,
                start.total.map({ $0 == total }) ?? true, !start.validator.isContradicted(by: headers)
            else { return .again }
            return .complete
        case 200..<300:
            guard encodings.isEmpty else {
                return .refuse(
                    "the server has encoded the file (\(encodings.joined(separator: ", "))), although the request accepts "
                        + "only identity: set `decompression`, or turn off the compression of the server")
            }
            return .begin(total: isDecoded ? nil : headers.contentLength)
        default: return .pass
        }
    }

    static func of(_ response: HTTPResponse, after start: Start?) -> ResumeDecision {
        of(response.status, response.headers, isDecoded: response.isDecoded, after: start)
    }

    static func range(in headers: Headers) -> ContentRange? {
        let values = headers.all("Content-Range")
        return values.count == 1 ? ContentRange(values[0]) : nil
    }
}

extension ContentRange {
    /// Parses the value of a 416, such as `bytes */1234`. Returns nil for any other text.
    static func unsatisfiedTotal(_ text: String) -> Int? {
        let parts = Substring(text).withoutBlanks.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercasedToken == "bytes", parts[1].utf8.starts(with: "*/".utf8) else {
            return nil
        }
        return place(parts[1].dropFirst(2))
    }
}
