#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file that a response has in place of its body.
struct FileBody: Hashable, Sendable {
    let url: URL
    /// The number of bytes.
    let count: Int
    /// The number of bytes that were on the disk before the call.
    let resumedFrom: Int
}
