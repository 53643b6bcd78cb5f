/// The end of one connection that loads parts.
enum PartEnd: Sendable {
    /// No part is left for it.
    case finished
    /// The server sends no part over it, or it could not be opened. Its part waits for another connection.
    case refused(Result<HTTPResponse, any Error>)
    /// The body broke off, or could not be written.
    case failed(any Error)
    /// The response is not the requested part of the same file. It is given if it has the whole file.
    case contradicted(HTTPResponse?)
}

/// The decisions about connections that load parts of one file, and their outcome.
///
/// ```text
/// contradicted        the others end, and the file is loaded anew, over one connection
/// failed to write     the others end, and the download fails
/// broke off           the others load their parts, then the attempt fails, and a retry loads the rest
/// refused             the others load its part; if it was the last one, a new one does, once for each finished part
/// ```
struct PartsOutcome {
    enum Step: Hashable, Sendable {
        case goOn
        /// Let another connection load the parts that wait.
        case start
        /// Cancel all connections.
        case stop
    }

    private(set) var running: Int
    /// The number of finished parts when the last connection was started alone.
    private var finished = 0
    private(set) var isContradicted = false
    /// The whole file, if a response has it.
    private(set) var whole: HTTPResponse?
    private(set) var failure: (any Error)?
    private(set) var refusal: Result<HTTPResponse, any Error>?

    init(running: Int) {
        self.running = running
    }

    mutating func add(_ end: PartEnd, finished parts: Int, hasWaiting: Bool) -> Step {
        running -= 1
        switch end {
        case .finished: break
        case .refused(let outcome): refusal = outcome
        case .contradicted(let response):
            if whole == nil { whole = response }
            isContradicted = true
            return .stop
        case .failed(let error):
            if failure == nil { failure = error }
            // Errors of the disk, and a cancellation, concern all connections.
            if !(error is RequestError) { return .stop }
        }
        guard running == 0, hasWaiting, !isContradicted, failure == nil, parts > finished else { return .goOn }
        finished = parts
        running += 1
        return .start
    }
}
