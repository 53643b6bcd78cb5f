#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file beside a partial download by which a later process can go on: the version of the resource, and its length.
///
/// It has the digest of the URL, and neither the URL nor any header of the request.
struct ResumeRecord: Codable, Hashable, Sendable {
    static let version = 1

    var version = ResumeRecord.version
    /// The digest of the resource: see ``DownloadPlan/resource(of:)``.
    var resource: String
    /// The kind of the validator, and its text.
    var kind: String
    var validator: String
    var total: Int?

    init(resource: String, validator: ResumeValidator, total: Int?) {
        self.resource = resource
        kind = validator.kind.rawValue
        self.validator = validator.text.text
        self.total = total
    }

    /// Returns what is known of a number of bytes on the disk; nil if they are of another resource.
    func partial(_ count: Int, of resource: String) -> PartialContent? {
        guard version == Self.version, self.resource.hasSameBytes(as: resource),
            let kind = ResumeValidator.Kind(rawValue: kind), total.map({ $0 >= 0 }) ?? true
        else { return nil }
        return PartialContent(count: count, validator: ResumeValidator(kind, validator), total: total)
    }
}
