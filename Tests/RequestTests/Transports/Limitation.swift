/// A row of the suites that a transport may be unable to pass. The article on transports lists each.
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
    /// An answer that comes just when its request is cancelled leaves the connection open, to be used again.
    case lateAnswers
    case connectTimes
    case backPressure
    /// What comes faster than it is handled holds up all other requests of the process.
    case floods
    case contentCoding
    case phaseMetrics
    case proxies
    /// Only the certificates of the system are trusted.
    case trust
    /// Processes that the program starts inherit connections, which stay open as long as they run.
    case inheritance
    case unixSockets
    case addresses
}
