/// The content of a store under one key: a body with its metadata, tags and dates.
///
/// ```swift
/// var entry = CacheEntry(body: Data("hello".utf8), metadata: ["etag": "x"], tags: ["greetings"])
/// entry.expires = Date(timeIntervalSinceNow: 60)
/// try await store.set(entry, for: "hello")
/// ```
///
/// An entry is a value. Changing a copy does not change the store until you set it again.
public struct CacheEntry: Sendable {
    /// The properties that most entries lack. They are allocated only if needed.
    private final class Details: Sendable {
        static let none = Details(metadata: [:], expires: nil, tags: [], pinned: false, object: nil)

        let metadata: [String: String]
        let expires: Date?
        let tags: Set<String>
        let pinned: Bool
        let object: (any Sendable)?

        init(metadata: [String: String], expires: Date?, tags: Set<String>, pinned: Bool, object: (any Sendable)?) {
            self.metadata = metadata
            self.expires = expires
            self.tags = tags
            self.pinned = pinned
            self.object = object
        }
    }

    /// The bytes. They begin at index 0. A slice of other data is copied, so that it does not retain the rest of that
    /// data.
    public var body: Data {
        didSet { if body.startIndex != 0 { body = body.copied() } }
    }

    /// The time at which the entry was stored. If it is nil, the store fills in the time of `set`. An entry that has a
    /// time keeps it, so that copying it to another store does not make it younger.
    public var written: Date?

    private var details: Details?

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - metadata: Small facts about the bytes, such as their headers.
    ///   - expires: The date from which the store no longer returns the entry. Nil: never.
    ///   - tags: Names for removing entries together.
    ///   - pinned: Exempts the entry from eviction.
    ///   - object: The decoded body, for stores in memory. Other stores ignore it.
    ///   - written: The time at which the entry was stored, if it was.
    @inline(never)
    public init(
        body: Data, metadata: [String: String] = [:], expires: Date? = nil, tags: Set<String> = [],
        pinned: Bool = false, object: (any Sendable)? = nil, written: Date? = nil
    ) {
        self.body = body.startIndex == 0 ? body : body.copied()
        self.written = written
        if !metadata.isEmpty || expires != nil || !tags.isEmpty || pinned || object != nil {
            details = Details(metadata: metadata, expires: expires, tags: tags, pinned: pinned, object: object)
        }
    }

    /// Small facts about the bytes, such as their headers.
    ///
    /// Stores return names and values byte for byte. A dictionary holds only one of several names that Swift considers
    /// equal.
    public var metadata: [String: String] {
        get { details?.metadata ?? [:] }
        set { change(metadata: newValue) }
    }

    /// The date from which the store no longer returns the entry. Nil: never.
    public var expires: Date? {
        get { details?.expires }
        set { change(expires: .some(newValue)) }
    }

    /// Names for removing entries together. Stores compare them byte by byte, as they do keys.
    ///
    /// A `Set` holds only one of several texts that Swift considers equal, such as the composed and the decomposed form
    /// of an accent. Use one form for all tags.
    public var tags: Set<String> {
        get { details?.tags ?? [] }
        set { change(tags: newValue) }
    }

    /// A Boolean value that indicates whether the entry is exempt from eviction.
    public var pinned: Bool {
        get { details?.pinned ?? false }
        set { change(pinned: newValue) }
    }

    /// The decoded body. Stores in memory keep it beside the bytes; other stores ignore it.
    public var object: (any Sendable)? {
        get { details?.object }
        set { change(object: .some(newValue)) }
    }

    /// Returns whether this entry is a copy of another, and not only equal to it.
    package func isCopy(of other: CacheEntry) -> Bool {
        guard let details, let others = other.details else { return false }
        return details === others && written == other.written
    }

    private mutating func change(
        metadata: [String: String]? = nil, expires: Date?? = nil, tags: Set<String>? = nil, pinned: Bool? = nil,
        object: (any Sendable)?? = nil
    ) {
        let old = details ?? .none
        details = Details(
            metadata: metadata ?? old.metadata, expires: expires ?? old.expires, tags: tags ?? old.tags,
            pinned: pinned ?? old.pinned, object: object ?? old.object)
    }
}

extension CacheEntry: CustomStringConvertible {
    public var description: String {
        var parts = ["\(body.count) bytes"]
        if let written { parts.append("written \(written.text)") }
        if let expires { parts.append("expires \(expires.text)") }
        if !metadata.isEmpty { parts.append("metadata \(Array(metadata.keys).sorted().joined(separator: ", "))") }
        if !tags.isEmpty { parts.append("tags \(tags.sorted().joined(separator: ", "))") }
        if pinned { parts.append("pinned") }
        if object != nil { parts.append("with its object") }
        return "CacheEntry(\(parts.joined(separator: ", ")))"
    }
}

extension Date {
    /// The date as text. An invalid date has a description too.
    fileprivate var text: String {
        timeIntervalSinceReferenceDate.isFinite ? "\(self)" : "at no time"
    }
}
