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
    /// The properties that most entries lack.
    private struct Details {
        var metadata: [String: String] = [:]
        var expires: Date?
        var tags: Set<String> = []
        var pinned = false
        var object: (any Sendable)?
    }

    private final class Box: Sendable {
        let details: Details

        init(_ details: Details) {
            self.details = details
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

    /// The details, which are allocated only if needed.
    private var box: Box?

    private var details: Details {
        get { box?.details ?? Details() }
        set { box = Box(newValue) }
    }

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
            box = Box(Details(metadata: metadata, expires: expires, tags: tags, pinned: pinned, object: object))
        }
    }

    /// Small facts about the bytes, such as their headers.
    ///
    /// Stores return names and values byte for byte. A dictionary holds only one of several names that Swift considers
    /// equal.
    public var metadata: [String: String] {
        get { box?.details.metadata ?? [:] }
        set { details.metadata = newValue }
    }

    /// The date from which the store no longer returns the entry. Nil: never.
    public var expires: Date? {
        get { box?.details.expires }
        set { details.expires = newValue }
    }

    /// Names for removing entries together. Stores compare them byte by byte, as they do keys.
    ///
    /// A `Set` holds only one of several texts that Swift considers equal, such as the composed and the decomposed form
    /// of an accent. Use one form for all tags.
    public var tags: Set<String> {
        get { box?.details.tags ?? [] }
        set { details.tags = newValue }
    }

    /// A Boolean value that indicates whether the entry is exempt from eviction.
    public var pinned: Bool {
        get { box?.details.pinned ?? false }
        set { details.pinned = newValue }
    }

    /// The decoded body. Stores in memory keep it beside the bytes; other stores ignore it.
    public var object: (any Sendable)? {
        get { box?.details.object }
        set { details.object = newValue }
    }

    /// Returns whether this entry is a copy of another, and not only equal to it.
    package func isCopy(of other: CacheEntry) -> Bool {
        box != nil && box === other.box && written == other.written
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
