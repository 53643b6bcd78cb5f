import CMeasure
import Foundation
import Harness
import TangoMeasuring
import TangoRequest
import TangoTesting

private struct User: Codable, Sendable {
    let id: Int
    let name: String
    let mail: String
    let posts: Int
}

/// A request as an application declares it.
private final class GetUser: Request<User> {
    private let api: Client
    init(_ api: Client) { self.api = api }
    override var client: Client { api }
    override var endpoint: Endpoint { .get("/small") }
}

/// A file that takes all lines of a log.
private enum Discarded {
    static let file = FileHandle(forWritingAtPath: "/dev/null") ?? .nullDevice
}

/// Ways to receive the same 73 bytes, from the bare transport to a decoded value.
private enum Way: Sendable {
    case transport(CurlTransport, URL)
    case transportAndDecoder(CurlTransport, URL)
    case request(Client)
    case message(Client, URL)
    case decoding

    private static let decoder = JSONDecoder()
    private static let json = Data(
        #"{"id": 1, "name": "Ada Lovelace", "mail": "ada@example.com", "posts": 12}"#.utf8)

    func go() async throws {
        switch self {
        case .transport(let transport, let url): _ = try await transport.send(HTTPRequest(url: url))
        case .transportAndDecoder(let transport, let url):
            _ = try Self.decoder.decode(User.self, from: try await transport.send(HTTPRequest(url: url)).body)
        case .request(let client): _ = try await GetUser(client).promise.value
        case .message(let client, let url): _ = try await client.send(HTTPRequest(url: url))
        case .decoding: _ = try Self.decoder.decode(User.self, from: Self.json)
        }
    }

    /// Sends many requests with one task for each request in flight.
    func go(_ count: Int, inFlight: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<inFlight {
                let share = (number + 1) * count / inFlight - number * count / inFlight
                group.addTask {
                    for _ in 0..<share { try await go() }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// The cost that a request class and its decoded value add to the bare transport.
func fullPath(count: Int, _ server: Kept<Server>) -> [Group] {
    let transport = CurlTransport()
    let client = Kept { Client(baseURL: try await server.value.url("")) { $0.transport = transport } }

    let logged = Kept {
        Client(baseURL: try await server.value.url("")) {
            $0.transport = transport
            $0.log = CallLog(.line) { entry in Discarded.file.write(Data("\(entry)\n".utf8)) }
        }
    }

    let counted = Kept {
        Client(baseURL: try await server.value.url("")) {
            $0.transport = transport
            $0.log = CallLog(.line) { entry in Discarded.file.write(Data("\(entry)\n".utf8)) }
            $0.collectsStatistics = true
        }
    }
    let recorded = Kept {
        let recorder = try HARRecorder(file: URL(fileURLWithPath: Scratch.newFolder() + "/run.har"))
        return Client(baseURL: try await server.value.url("")) {
            $0.transport = transport
            $0.observers = [recorder]
        }
    }

    func row(_ name: String, must: Double? = nil, aim: Double? = nil, _ way: @escaping @Sendable () async throws -> Way)
        -> Row
    {
        .timed(name, must: must, aim: aim) {
            let way = try await way()
            return try await nanoseconds(for: count) { try await way.go(count, inFlight: 64) }
        }
    }
    /// The cost of a call beyond the transport and the decoder.
    func overhead(_ measure: @escaping @Sendable (Way) async throws -> Double) -> @Sendable () async throws -> Double {
        {
            let url = try await server.value.small
            return try await measure(.request(client.value)) - measure(.transport(transport, url)) - measure(.decoding)
        }
    }

    return [
        Group(
            "HTTP, from a request to a value, 64 in flight (one operation: a request)",
            against: Reference(
                "the full path", row("ref: the bare transport") { .transport(transport, try await server.value.small) }),
            [
                row("the transport, then JSONDecoder") {
                    .transportAndDecoder(transport, try await server.value.small)
                },
                row("GetUser().promise.value", must: 1.67, aim: 1.25) { .request(try await client.value) },
                row("client.send(message)") { .message(try await client.value, try await server.value.small) },
            ]),
        Group(
            "HTTP, with a log, statistics or a recording, 64 in flight (one operation: a request)",
            against: Reference(
                "a request without a log", row("ref: GetUser().promise.value") { .request(try await client.value) }),
            [
                row("a line for each request and response, written to /dev/null", must: 1.15) {
                    .request(try await logged.value)
                },
                row("the same, with statistics", must: 1.15) { .request(try await counted.value) },
                row("recorded as HAR", must: 2) { .request(try await recorded.value) },
            ]),
        Group(
            "HTTP, what a call adds to the bare transport and the decoder",
            [
                .number(
                    "HTTP, a call: µs of the processor beyond transport and decoder", must: 6, aim: 3,
                    overhead { way in
                        try await processorNanoseconds(for: count) { try await way.go(count, inFlight: 64) } / 1000
                    }),
                .number(
                    "HTTP, a call: allocations beyond transport and decoder", must: 40, aim: 25,
                    overhead { way in
                        let before = measure_allocations().allocations
                        try await way.go(count, inFlight: 64)
                        return Double(measure_allocations().allocations - before) / Double(count)
                    }),
            ]),
    ]
}
