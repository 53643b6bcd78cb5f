import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The order of a list: the smallest or earliest entry first, and equal ones by key.
enum Order: String, CaseIterable {
    case key, size, written, expires

    func sort(_ items: [CacheItem]) -> [CacheItem] {
        items.map { (item: $0, bytes: $0.key.bytes) }
            .sorted { one, other in
                switch self {
                case .key: break
                case .size: if one.item.size != other.item.size { return one.item.size < other.item.size }
                case .written:
                    if one.item.written != other.item.written { return one.item.written < other.item.written }
                case .expires:
                    // Entries without an expiry come last.
                    let (first, second) = (one.item.expires ?? .distantFuture, other.item.expires ?? .distantFuture)
                    if first != second { return first < second }
                }
                return one.bytes.lexicographicallyPrecedes(other.bytes)
            }
            .map(\.item)
    }
}
