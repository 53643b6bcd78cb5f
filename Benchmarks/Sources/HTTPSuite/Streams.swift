import Foundation
import Harness
import TangoRequest

/// Events and lines of streamed bodies, from memory and over a connection.
func streams(_ size: Size, _ server: Kept<Server>) -> Group {
    let (events, megabytes) = (size(1_000_000), size(200))
    let client = Client { $0.retryPolicy = .never }
    return Group(
        "HTTP, streams",
        [
            .number("HTTP, events from memory: ns of the processor for each", must: 3333, aim: 1667) {
                try await processorNanoseconds(for: events) {
                    try await count(
                        events, EventStream<ServerSentEvent>(Repetition.events.response(events), policy: .once))
                }
            },
            .number("HTTP, events decoded as JSON from memory: ns of the processor for each", must: 3333) {
                try await processorNanoseconds(for: events) {
                    try await count(
                        events, EventStream<Repetition.Small>(Repetition.events.response(events), policy: .once))
                }
            },
            .number("HTTP, lines of 1 KB from memory: ns of the processor for each KB", must: 6510, aim: 3255) {
                try await rate(Repetition.large, megabytes) { Lines($0) }
            },
            .number("HTTP, NDJSON of 1 KB from memory: ns of the processor for each KB", must: 6510, aim: 3255) {
                try await rate(Repetition.large, megabytes) { NDJSON<Repetition.Large>($0) }
            },
            .number("HTTP, the decoder alone, 1 KB: ns of the processor for each KB", isComparison: true) {
                try decoderRate(Repetition.large, Repetition.Large.self, megabytes)
            },
            .number("HTTP, NDJSON of 100 bytes from memory: ns of the processor for each KB") {
                try await rate(Repetition.small, megabytes / 4 + 1) { NDJSON<Repetition.Small>($0) }
            },
            .number("HTTP, the decoder alone, 100 bytes: ns of the processor for each KB", isComparison: true) {
                try decoderRate(Repetition.small, Repetition.Small.self, megabytes / 4 + 1)
            },
            .number("HTTP, events over a connection: ns of the processor for each", must: 3333, aim: 1667) {
                let url = try await server.value.url("/events/\(events)")
                return try await processorNanoseconds(for: events) {
                    try await count(events, GetEvents(client, url).promise.value)
                }
            },
            .number("HTTP, NDJSON of 1 KB over a connection: ns of the processor for each KB", must: 6510, aim: 3255) {
                let (url, bytes) = (
                    try await server.value.url("/rows/\(megabytes << 10)"),
                    Repetition.large.line.count * megabytes << 10
                )
                let time = try await processorNanoseconds(for: 1) {
                    try await count(megabytes << 10, GetRows(client, url).promise.value)
                }
                return time / Double(bytes >> 10)
            },
            .number("HTTP, events over a connection: MB of memory more than before", must: 16) {
                let url = try await server.value.url("/events/\(events)")
                return try await Memory.peakGrowth { try await count(events, GetEvents(client, url).promise.value) }.1
                    / 1_048_576
            },
            .number("HTTP, NDJSON over a connection: MB of memory more than before", must: 16) {
                let url = try await server.value.url("/rows/\(megabytes << 10)")
                return try await Memory.peakGrowth {
                    try await count(megabytes << 10, GetRows(client, url).promise.value)
                }.1
                    / 1_048_576
            },
        ])
}

private final class GetEvents: Request<EventStream<ServerSentEvent>> {
    let owner: Client
    let url: URL
    init(_ owner: Client, _ url: URL) { (self.owner, self.url) = (owner, url) }
    override var client: Client { owner }
    override var endpoint: Endpoint { .get(url.absoluteString) }
    override var serializer: Serializer<EventStream<ServerSentEvent>> { .events(.once) }
}

private final class GetRows: Request<NDJSON<Repetition.Large>> {
    let owner: Client
    let url: URL
    init(_ owner: Client, _ url: URL) { (self.owner, self.url) = (owner, url) }
    override var client: Client { owner }
    override var endpoint: Endpoint { .get(url.absoluteString) }
}

/// An element of a streamed body, which is repeated.
struct Repetition: Sendable {
    struct Small: Decodable { let id: Int; let name: String; let mail: String; let posts: Int }
    struct Large: Decodable { let id: Int; let text: String }

    let line: Data

    init(_ text: String) { line = Data(text.utf8) }

    private static let json =
        #"{"id": 1234567, "name": "Ada Lovelace", "mail": "ada.lovelace@example.com", "posts": 120}"#
    static let small = Repetition(json + "\n")
    static let events = Repetition("id: 1234567\nevent: update\ndata: \(json)\n\n")
    static let large = Repetition(#"{"id": 1234567, "text": ""# + String(repeating: "Some text. ", count: 90) + "\"}\n")

    /// Portions of about 16 KB, with this number of elements in all.
    func portions(_ count: Int) -> (portion: Data, full: Int, rest: Data) {
        let each = max(1, 16_384 / line.count)
        func repeated(_ count: Int) -> Data { (0..<count).reduce(into: Data()) { all, _ in all += line } }
        return (repeated(each), count / each, repeated(count % each))
    }

    func response(_ count: Int) -> HTTPResponse {
        HTTPResponse(status: 200, stream: BodyStream(Repeated(portions(count))))
    }
}

/// A body of repeated portions.
private final class Repeated: BodySource, @unchecked Sendable {
    // Unchecked: one task reads it.
    private let portion: Data
    private var full: Int
    private var rest: Data

    init(_ portions: (portion: Data, full: Int, rest: Data)) {
        (portion, full, rest) = portions
    }

    func next() async throws -> Data? {
        if full > 0 {
            full -= 1
            return portion
        }
        defer { rest = Data() }
        return rest.isEmpty ? nil : rest
    }

    func cancel() {}
    var ending: BodyStream.Ending? { nil }
}

private func count(_ expected: Int, _ elements: some AsyncSequence) async throws {
    var count = 0
    for try await _ in elements { count += 1 }
    guard count == expected else { throw Failure("\(count) elements came instead of \(expected)") }
}

private func rate<Elements: AsyncSequence>(
    _ sample: Repetition, _ megabytes: Int, _ make: (HTTPResponse) -> Elements
) async throws -> Double {
    let number = (megabytes << 20) / sample.line.count
    let time = try await processorNanoseconds(for: 1) { try await count(number, make(sample.response(number))) }
    return time / Double(megabytes << 10)
}

private func decoderRate<Value: Decodable>(
    _ sample: Repetition, _ type: Value.Type, _ megabytes: Int
) throws -> Double {
    let number = (megabytes << 20) / sample.line.count
    let decoder = JSONCoding.makeDefaultDecoder()
    let time = try processorNanoseconds(for: 1) {
        for _ in 0..<number { _ = try decoder.decode(type, from: sample.line) }
    }
    return time / Double(megabytes << 10)
}
