import Foundation
import TangoCache

extension Fault {
    /// Stores for which a key is something else than its bytes.
    static let names: [Fault] = [
        key("refuses the empty key", "A key may be empty.") { key in
            if key.count == 0 { throw CacheError(.invalid, "A key needs a byte.") }
            return key
        },
        key("ends keys at a zero", "Keys that differ in zero bytes at the start or end are different keys.") { key in
            CacheKey(bytes: key.bytes.prefix { $0 != 0 })
        },
        key("writes the text of a key", "Keys that are bytes and text forms of these bytes are different keys.") {
            key in
            CacheKey(key.description)
        },
        key("repairs text", "Keys that are not UTF-8 are different keys.") { key in
            CacheKey(String(decoding: key.bytes, as: UTF8.self))
        },
        key("ignores case", "Keys that differ in case are different keys.") { key in
            CacheKey(key.text?.lowercased() ?? "")
        },
        key("composes accents", "Keys that differ in how accents are composed are different keys.") { key in
            CacheKey(key.text?.precomposedStringWithCanonicalMapping ?? "")
        },
        key("trims keys", "Keys that differ in white space at the start or end are different keys.") { key in
            CacheKey(key.text?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "")
        },
        key("cuts keys", "Keys that are 10 KB long and differ in the last byte are different keys.") { key in
            CacheKey(bytes: key.bytes.prefix(255))
        },
        key("cuts keys very short", "Keys that are prefixes of one another are different keys.") { key in
            CacheKey(bytes: key.bytes.prefix(2))
        },
        key("takes keys for paths", "Keys that are paths to the same file are different keys.") { key in
            key.text.map { CacheKey(URL(fileURLWithPath: "/" + $0).standardized.path) } ?? key
        },
        key("takes keys for numbers", "Keys that are the same number are different keys.") { key in
            key.text.flatMap { Double($0) }.map { CacheKey("\($0)") } ?? key
        },
        key("keeps ASCII", "A key may be text of any script.") { key in CacheKey(bytes: key.bytes.filter { $0 < 128 })
        },
        key(
            "replaces what files do not like",
            "A key may be text with special characters of files, shells and databases."
        ) { key in
            CacheKey(bytes: key.bytes.map { "/\\:?*|<>\"".utf8.contains($0) ? 95 : $0 })
        },
    ]

    private static func key(
        _ name: String, _ rule: String, _ change: @escaping @Sendable (CacheKey) throws -> CacheKey
    ) -> Fault {
        Fault(name, breaks: rule) { AlteringStore(key: change) }
    }
}
