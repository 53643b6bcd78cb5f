/// The log of a client: its level, and the function that receives the entries.
///
/// ```swift
/// let api = Client(baseURL: url) { $0.log = .line }
/// ```
///
/// Each entry begins with the number of its call and of the attempt, so that all lines of a call can be found:
///
/// ```text
/// #7.1 → GET https://api.example.com/users/1
/// #7.1 ← 503 Service Unavailable, 0 bytes in 12.5 ms
/// #7 retry in 0.25 seconds
/// #7.2 → GET https://api.example.com/users/1 (retry)
/// #7.2 ← 200 OK, 83 bytes in 9.1 ms
/// ```
///
/// Secrets are replaced by an ellipsis: see ``Client/Configuration/redaction``.
///
/// **Threads.** The sink is called on the thread that makes the progress, which may be that of the caller. The call goes on
/// when the sink returns. So entries of one call come in order, and none is lost when the process ends. Several calls may be
/// in the sink at once.
public struct CallLog: Sendable {
    /// The amount of detail.
    public enum Level: Int, Comparable, Sendable, CaseIterable {
        /// No entries.
        case off
        /// A line for each request, response, retry, redirect and failure, and for each response from the cache.
        case line
        /// The lines, with the headers of requests and responses.
        case headers
        /// The headers, with the beginning of each body that is a text.
        case body

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The amount of detail.
    public var level: Level
    /// The highest number of bytes of a body in an entry.
    public var bodyLimit: Int
    /// The function that receives the entries.
    public var sink: @Sendable (Entry) -> Void

    /// Creates a log.
    ///
    /// ```swift
    /// let api = Client(baseURL: url) {
    ///     $0.log = CallLog(.headers) { entry in print(entry) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - level: The amount of detail.
    ///   - bodyLimit: The highest number of bytes of a body in an entry.
    ///   - sink: The function that receives the entries. By default, they go to the system's log on Apple platforms,
    ///     and to standard error elsewhere.
    public init(
        _ level: Level, bodyLimit: Int = 2_000, to sink: @escaping @Sendable (Entry) -> Void = CallLog.system
    ) {
        self.level = level
        self.bodyLimit = bodyLimit
        self.sink = sink
    }

    /// No log.
    public static let off = CallLog(.off)
    /// A line for each request, response and failure.
    public static let line = CallLog(.line)
    /// The lines, with headers.
    public static let headers = CallLog(.headers)
    /// The lines, with headers and the beginning of each body that is a text.
    public static let body = CallLog(.body)
}

extension CallLog {
    /// An entry of the log.
    public struct Entry: Sendable, CustomStringConvertible {
        /// The importance of an entry.
        public enum Severity: Sendable, Hashable {
            /// A request or a response.
            case info
            /// A failed attempt, or a response with a status of 400 or more.
            case warning
            /// The failure of a call.
            case error
        }

        /// The importance of the entry.
        public let severity: Severity
        /// The number of the call: ``AnyCall/id``.
        public let call: UInt64
        /// The number of the attempt within the call; nil if the entry belongs to no attempt.
        public let attempt: Int?
        /// The text without the numbers. Headers and bodies follow in further lines.
        public let text: String

        /// Creates an entry, for tests of a sink.
        ///
        /// - Parameters:
        ///   - severity: The importance of the entry.
        ///   - call: The number of the call.
        ///   - attempt: The number of the attempt; nil if the entry belongs to none.
        ///   - text: The text without the numbers.
        public init(_ severity: Severity, call: UInt64, attempt: Int? = nil, text: String) {
            self.severity = severity
            self.call = call
            self.attempt = attempt
            self.text = text
        }

        /// The numbers and the text: `#7.1 → GET https://api.example.com/users/1`.
        public var description: String {
            attempt.map { "#\(call).\($0) \(text)" } ?? "#\(call) \(text)"
        }
    }
}

extension CallLog: CustomStringConvertible {
    /// The level, and the limit for bodies where it shows them.
    public var description: String { level == .body ? "body, up to \(bodyLimit) bytes" : "\(level)" }
}
