#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a store keeps under a key: bytes, and what is known about them.
///
/// ```swift
/// var entry = CacheEntry(body: Data("hello".utf8), metadata: ["etag": "x"], tags: ["greetings"])
/// entry.expires = Date(timeIntervalSinceNow: 60)
/// try await store.set(entry, for: "hello")
/// ```
///
/// An entry is a value: changing one that came from a store changes nothing in the store until it is set again.
public struct CacheEntry: Sendable {
    /// What most entries lack, so that the others pay for it.
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

    /// The bytes. They begin at index 0: a slice of other data is copied, so that it neither surprises a reader nor
    /// keeps the rest of that data in memory.
    public var body: Data {
        didSet { if body.startIndex != 0 { body = Data(body) } }
    }

    /// When the entry was stored. Nil on one that has not been stored: the store fills in the time of `set`. One that
    /// has a time keeps it, so that an entry copied from one store to another does not become younger.
    public var written: Date?

    private var details: Details?

    /// An entry to be stored.
    ///
    /// - Parameters:
    ///   - body: The bytes.
    ///   - metadata: Small facts about the bytes, such as the headers they came with.
    ///   - expires: From when on the store answers as if the entry were not there. Nil: never.
    ///   - tags: Names under which entries can be removed together.
    ///   - pinned: Whether the entry stays when the store has to make room.
    ///   - object: The decoded body, for stores in memory; stores of bytes ignore it.
    ///   - written: When the entry was stored, if it was.
    public init(
        body: Data, metadata: [String: String] = [:], expires: Date? = nil, tags: Set<String> = [],
        pinned: Bool = false, object: (any Sendable)? = nil, written: Date? = nil
    ) {
        self.body = body.startIndex == 0 ? body : Data(body)
        self.written = written
        if !metadata.isEmpty || expires != nil || !tags.isEmpty || pinned || object != nil {
            details = Details(metadata: metadata, expires: expires, tags: tags, pinned: pinned, object: object)
        }
    }

    /// Small facts about the bytes, such as the headers they came with.
    ///
    /// Names and values come back byte for byte. A dictionary holds only one of several names that Swift takes for equal.
    public var metadata: [String: String] {
        get { details?.metadata ?? [:] }
        set { change(metadata: newValue) }
    }

    /// From when on the store answers as if the entry were not there. Nil: never.
    public var expires: Date? {
        get { details?.expires }
        set { change(expires: .some(newValue)) }
    }

    /// Names under which entries can be removed together. Stores compare them byte by byte, as they do keys.
    ///
    /// A `Set` holds only one of several texts that Swift takes for equal, such as the composed and the decomposed form of an
    /// accent: give all tags the same form.
    public var tags: Set<String> {
        get { details?.tags ?? [] }
        set { change(tags: newValue) }
    }

    /// Whether the entry stays when the store has to make room.
    public var pinned: Bool {
        get { details?.pinned ?? false }
        set { change(pinned: newValue) }
    }

    /// The decoded body. Stores in memory keep it beside the bytes; stores of bytes ignore it.
    public var object: (any Sendable)? {
        get { details?.object }
        set { change(object: .some(newValue)) }
    }

    /// Whether this is the very entry that another is a copy of, and not one that only says the same.
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
        if !metadata.isEmpty { parts.append("metadata \(metadata.keys.sorted().joined(separator: ", "))") }
        if !tags.isEmpty { parts.append("tags \(tags.sorted().joined(separator: ", "))") }
        if pinned { parts.append("pinned") }
        if object != nil { parts.append("with its object") }
        return "CacheEntry(\(parts.joined(separator: ", ")))"
    }
}

extension Date {
    /// The date for people. One that is no date has a description all the same.
    fileprivate var text: String {
        timeIntervalSinceReferenceDate.isFinite ? "\(self)" : "at no time"
    }
}
