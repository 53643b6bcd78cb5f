import Foundation
import TangoCache

extension Fault {
    /// Stores that do not keep what they are given.
    static let values: [Fault] = [
        value("loses metadata", "Metadata may be one pair.") { entry, _ in entry.metadata = [:] },
        value("drops empty texts", "Metadata may be empty strings.") { entry, _ in
            entry.metadata = entry.metadata.filter { !$0.isEmpty && !$1.isEmpty }
        },
        value("ends texts at a zero", "Metadata may be text with zero characters.") { entry, _ in
            entry.metadata = entry.metadata.mapValues { String($0.prefix { $0 != "\0" }) }
        },
        value("keeps ASCII only", "Metadata may be text of any script.") { entry, _ in
            entry.metadata = entry.metadata.mapValues { String($0.filter(\.isASCII)) }
        },
        value("keeps metadata line by line", "Metadata may be text with line ends, quotes and separators.") {
            entry, _ in
            entry.metadata = entry.metadata.mapValues { String($0.prefix { !$0.isNewline }) }
        },
        value("keeps most pairs", "Metadata may be many pairs.") { entry, _ in
            entry.metadata = entry.metadata.filter { !$0.key.hasPrefix("name-29") }
        },
        value("cuts long texts", "Metadata may be a long text.") { entry, _ in
            entry.metadata = entry.metadata.mapValues { String($0.prefix(32_767)) }
        },
        value("joins tags by commas", "Tags are stored.") { entry, _ in
            entry.tags = Set(
                entry.tags.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }.map(String.init))
        },
        value(
            "composes the accents of texts",
            "Metadata and tags are returned byte for byte, however accents are composed."
        ) { entry, _ in
            entry.metadata = Dictionary(
                uniqueKeysWithValues: entry.metadata.map {
                    ($0.precomposedStringWithCanonicalMapping, $1.precomposedStringWithCanonicalMapping)
                })
            entry.tags = Set(entry.tags.map(\.precomposedStringWithCanonicalMapping))
        },
        value(
            "takes what is no number for no date",
            "An entry with a date that is not a number is rejected, and changes nothing."
        ) { entry, _ in
            if entry.expires?.timeIntervalSinceReferenceDate.isNaN == true { entry.expires = nil }
            if entry.written?.timeIntervalSinceReferenceDate.isNaN == true { entry.written = nil }
        },
        value("loses the pin", "A pin is stored.") { entry, _ in entry.pinned = false },
        value("keeps whole seconds", "An expiry in an hour is exact to the millisecond.") { entry, _ in
            entry.expires = entry.expires.map { Date(timeIntervalSince1970: $0.timeIntervalSince1970.rounded(.down)) }
        },
        value("keeps 32 bits of seconds", "An expiry in the distant future is exact to the millisecond.") { entry, _ in
            entry.expires = entry.expires.map { min($0, Date(timeIntervalSince1970: 0x7fff_ffff)) }
        },
        value("makes copied entries younger", "An entry that has a time of writing keeps it, to the millisecond.") {
            entry, _ in entry.written = Date()
        },
        value("cuts bodies at 64 KB", "A body of 65537 bytes is returned unchanged.") { entry, _ in
            entry.body = entry.body.prefix(65_536)
        },
        value("ends bodies at a zero", "A body of only zero bytes is returned unchanged.") { entry, _ in
            entry.body = entry.body.prefix { $0 != 0 }
        },
        value("refuses empty bodies", "A body of 0 bytes is returned unchanged.") { entry, _ in
            if entry.body.isEmpty { throw CacheError(.invalid, "An entry needs a body.") }
        },
        value("keeps the old object", "The decoded object of an entry is returned with that entry or not at all.") {
            entry, old in entry.object = entry.object ?? old?.object
        },
        value("adds to the old entry", "A new entry inherits nothing from the old one.") { entry, old in
            entry.tags.formUnion(old?.tags ?? [])
        },
        value("keeps small bodies with the old size", "A body may be replaced by one of any other size.") {
            entry, old in
            if let old, old.body.count > entry.body.count { entry.body += old.body[entry.body.count...] }
        },
    ]

    private static func value(
        _ name: String, _ rule: String, kept: @escaping @Sendable (inout CacheEntry, CacheEntry?) throws -> Void
    ) -> Fault {
        Fault(name, breaks: rule) { AlteringStore(kept: kept) }
    }
}
