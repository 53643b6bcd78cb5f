import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CacheItem {
    /// The members of the entry in JSON documents.
    var members: [(name: String, value: JSON)] {
        [
            ("key", .text(key.text)),
            ("keyHex", .text(key.hexadecimal)),
            ("size", .number(size)),
            ("written", .text(Human.date(written))),
            ("expires", .text(expires.flatMap(Human.date))),
            ("pinned", .flag(pinned)),
            ("tags", .list(tags.sorted().map { .text($0) })),
            ("metadata", .object(metadata.sorted { $0.key < $1.key }.map { ($0.key, .text($0.value)) })),
        ]
    }

    /// Returns the lines that describe the entry.
    func description(at now: Date) -> String {
        func time(_ date: Date) -> String {
            [Human.date(date), Human.age(date, at: now)].compactMap(\.self).joined(separator: ", ")
        }
        var facts = [
            ("key", key.shown),
            ("size", size < 1000 ? Human.size(size) : "\(Human.size(size)) (\(size) bytes)"),
            ("written", time(written)),
            ("expires", expires.map(time) ?? "never"),
            ("pinned", pinned ? "yes" : "no"),
            ("tags", tags.isEmpty ? "none" : tags.sorted().map(\.printable).joined(separator: ", ")),
        ]
        for (number, fact) in metadata.sorted(by: { $0.key < $1.key }).enumerated() {
            facts.append((number == 0 ? "metadata" : "", "\(fact.key.printable): \(fact.value.printable)"))
        }
        return Table.facts(facts)
    }
}

extension Table {
    /// The length above which a key is shortened.
    private static let keyWidth = 60

    /// Creates a table of entries.
    init(_ items: [CacheItem], at now: Date) {
        self.init([
            ("KEY", .left), ("SIZE", .right), ("WRITTEN", .right), ("EXPIRES", .right), ("PINNED", .left),
            ("TAGS", .left),
        ])
        for item in items {
            append([
                item.key.shown.shortened(to: Self.keyWidth), Human.size(item.size), Human.age(item.written, at: now),
                item.expires.map { Human.age($0, at: now) } ?? "never", item.pinned ? "yes" : "",
                item.tags.sorted().joined(separator: ", ").printable.shortened(to: Self.keyWidth),
            ])
        }
    }
}
