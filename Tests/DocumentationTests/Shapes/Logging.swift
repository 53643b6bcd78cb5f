import Synchronization

/// Declarations of swift-log 1, as far as "Beside other packages" uses them.
enum Logging {
    struct Logger: Sendable {
        enum Level: Sendable {
            case trace, debug, info, notice, warning, error, critical
        }

        struct Message: ExpressibleByStringInterpolation, Sendable {
            let text: String
            init(stringLiteral text: String) { self.text = text }
        }

        enum MetadataValue: ExpressibleByStringInterpolation, Sendable, Equatable {
            case string(String)
            init(stringLiteral text: String) { self = .string(text) }
        }

        typealias Metadata = [String: MetadataValue]

        struct Line: Sendable {
            let level: Level
            let text: String
            let metadata: Metadata
        }

        /// The lines of one logger, in place of a `LogHandler`.
        final class Lines: Sendable {
            let all = Mutex<[Line]>([])
        }

        let lines = Lines()

        init(label: String) {}

        func log(level: Level, _ message: Message, metadata: Metadata? = nil) {
            lines.all.withLock { $0.append(Line(level: level, text: message.text, metadata: metadata ?? [:])) }
        }
    }
}
