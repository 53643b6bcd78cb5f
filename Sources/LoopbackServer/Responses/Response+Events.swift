extension Response {
    /// A step of an event stream: see ``Response/events(_:ends:)``.
    public struct EventStep: Sendable, ExpressibleByStringLiteral {
        enum Kind: Sendable {
            case bytes([UInt8])
            case hold(Gate)
            case disconnect
        }

        let kind: Kind

        /// Sends an event with this data. Each line of the data becomes a field of its own.
        public static func event(_ data: String, id: String? = nil, type: String? = nil) -> EventStep {
            var text = ""
            if let id { text += "id: \(id)\n" }
            if let type { text += "event: \(type)\n" }
            for line in data.split(separator: "\n", omittingEmptySubsequences: false) { text += "data: \(line)\n" }
            return .text(text + "\n")
        }

        /// Sends a comment, which clients ignore: a sign of life.
        public static func comment(_ text: String = "") -> EventStep {
            .text(": \(text)\n\n")
        }

        /// Names the time to wait before reconnecting, in milliseconds.
        public static func retry(milliseconds: Int) -> EventStep {
            .text("retry: \(milliseconds)\n\n")
        }

        /// Sends this text as it is.
        public static func text(_ text: String) -> EventStep {
            EventStep(kind: .bytes(Array(text.utf8)))
        }

        /// Sends these bytes as they are.
        public static func bytes(_ bytes: some Sequence<UInt8>) -> EventStep {
            EventStep(kind: .bytes(Array(bytes)))
        }

        /// Waits until a gate opens.
        public static func hold(_ gate: Gate) -> EventStep {
            EventStep(kind: .hold(gate))
        }

        /// Closes the connection in the middle of the body.
        public static let disconnect = EventStep(kind: .disconnect)

        /// Sends an event with this data.
        public init(stringLiteral data: String) {
            self = .event(data)
        }

        private init(kind: Kind) {
            self.kind = kind
        }
    }

    private struct Disconnection: Error {}

    /// A stream of server-sent events: `text/event-stream`.
    ///
    /// ```swift
    /// let gate = Gate()
    /// server.answer("/updates", with: .events(["one", .event("two", id: "2"), .hold(gate), .disconnect]))
    /// ```
    ///
    /// Each step is one chunk, which is sent no faster than the client reads.
    ///
    /// - Parameters:
    ///   - steps: The events, in order.
    ///   - ends: Pass false to keep the connection open after the last step, until the client closes it.
    public static func events(_ steps: [EventStep], ends: Bool = true) -> Response {
        var response = Response.stream { writer in
            for step in steps {
                switch step.kind {
                case .bytes(let bytes): try await writer.write(bytes)
                case .hold(let gate): try await gate.opened()
                case .disconnect: throw Disconnection()
                }
            }
            // The connection cancels the task when it closes.
            while !ends { try await Task.sleep(for: .seconds(86_400)) }
        }
        response.headers = ["Content-Type": "text/event-stream", "Cache-Control": "no-store"]
        return response
    }
}
