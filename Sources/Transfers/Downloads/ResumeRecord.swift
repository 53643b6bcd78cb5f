/// The file beside a partial download by which a later process can go on: the version of the resource, and its length.
///
/// It has the digests of the URLs and of the user, and neither of them, nor any header of the request. Of the response, it
/// has the fields that describe the file.
struct ResumeRecord: Codable, Hashable, Sendable {
    static let version = 1
    /// The version of the record of a file in parts. Releases without parts do not use it.
    static let versionOfParts = 2

    var version = ResumeRecord.version
    /// The digest of the resource: see ``DownloadPlan/resource(of:)``.
    var resource: String
    /// The digest of the user, whose sign-out removes the file; nil if the calls of the client have none.
    var owner: String?
    /// The kind of the validator, and its text. They are empty if the file cannot be resumed.
    var kind: String
    var validator: String
    var total: Int?
    /// The digest of the URL that has sent the bytes, after redirects; nil if the URL does not identify the file.
    var location: String?
    /// The bytes that are on the disk, for a file in parts; nil if it has no gaps.
    var parts: [Range<Int>]?
    /// The fields that describe the file; nil in the records of earlier releases.
    var fields: FileFields?

    init(
        resource: String, validator: ResumeValidator?, total: Int?, owner: String? = nil, location: String? = nil,
        fields: FileFields? = nil
    ) {
        self.resource = resource
        self.owner = owner
        kind = validator?.kind.rawValue ?? ""
        self.validator = validator?.text.text ?? ""
        self.total = total
        self.location = location
        self.fields = fields
    }

    /// Reads the record at a path; nil if there is none, or another version wrote it.
    init?(path: String) {
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)),
            let record = try? JSONDecoder().decode(ResumeRecord.self, from: data)
        else { return nil }
        self = record
    }

    mutating func setParts(_ parts: FileRanges) {
        version = Self.versionOfParts
        self.parts = parts.ranges
    }

    /// Returns what is known of a file on the disk; nil if it is of another resource.
    ///
    /// Files at two URLs may have one date, so a date only counts for the URL that has sent it.
    func partial(_ size: Int, of resource: String, at location: String? = nil) -> PartialContent? {
        guard version == (parts == nil ? Self.version : Self.versionOfParts),
            self.resource.hasSameBytes(as: resource), let kind = ResumeValidator.Kind(rawValue: kind),
            total.map({ $0 >= 0 }) ?? true
        else { return nil }
        guard kind == .entityTag || self.location.hasSameBytes(as: location) else { return nil }
        let validator = ResumeValidator(kind, validator)
        var content = PartialContent(count: size, validator: validator, total: total, fields: fields)
        guard let parts else { return content }
        guard let total, size <= total, let ranges = FileRanges(stored: parts, size: size) else { return nil }
        content.count = ranges.count
        content.parts = ranges
        return content
    }
}

/// The fields of a response that describe its file.
///
/// A part may leave them out (RFC 9110, 15.3.7), and a 416 describes its own body with them.
struct FileFields: Codable, Hashable, Sendable {
    let type: String?
    let disposition: String?

    init(_ headers: Headers) {
        type = headers["Content-Type"]
        disposition = headers.all("Content-Disposition").first
    }

    /// Replaces the fields of a later response.
    func replace(in headers: inout Headers) {
        headers["Content-Type"] = type
        headers["Content-Disposition"] = disposition
    }
}
