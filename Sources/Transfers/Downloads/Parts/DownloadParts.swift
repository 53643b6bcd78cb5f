/// The number of connections over which a ``Download`` loads its file.
///
/// A server that limits each connection sends a large file faster over several of them.
public struct DownloadParts: Hashable, Sendable {
    /// The highest number of parts that are loaded at the same time.
    let count: Int
    /// The smallest number of bytes for which another connection is used.
    let minimumSize: Int

    /// The whole file over one connection.
    public static let one = DownloadParts(count: 1, minimumSize: 1 << 20)

    /// Several parts at the same time, if the server supports it. Otherwise, the file is loaded over one connection.
    ///
    /// - Parameters:
    ///   - count: The highest number of connections, from 1 to 16.
    ///   - minimumSize: The smallest number of bytes of a part. A smaller file has fewer parts.
    public static func upTo(_ count: Int, minimumSize: Int = 1 << 20) -> DownloadParts {
        DownloadParts(count: count, minimumSize: minimumSize)
    }

    /// The error of an invalid number; nil if it is valid.
    var problem: String? {
        guard 1...16 ~= count else { return "a download in \(count) parts is not possible: set 1 to 16 parts" }
        guard minimumSize > 0 else {
            return "the minimumSize of parts is \(minimumSize): set at least one byte, or leave it out for a megabyte"
        }
        return nil
    }
}
