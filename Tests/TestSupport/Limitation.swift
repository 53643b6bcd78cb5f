/// A group of tests that a transport may be unable to pass. The article on transports lists each.
enum Limitation: String, CaseIterable, Sendable {
    case trailers
    case requestFieldOrder
    case responseFieldOrder
    case statusLines
    case halfHeads
    case oddHeads
    case expectations
    case lowercaseMethods
    case dotSegments
    case getBodies
    case streamedUploads
    case ownConnections
    /// A response that arrives while its request is cancelled leaves the connection open for reuse.
    case lateResponses
    case connectTimes
    case backPressure
    /// Bytes that arrive faster than they are handled delay all other requests of the process.
    case floods
    case contentCoding
    case phaseMetrics
    case proxies
    /// Only the certificates of the system are trusted.
    case trust
    /// Child processes inherit connections, which stay open as long as the child process runs.
    case inheritance
    case unixSockets
    case addresses
}
