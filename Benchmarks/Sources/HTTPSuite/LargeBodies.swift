import Foundation
import Harness
import TangoRequest
import TangoTransfers

/// A large body that is received and dropped.
func receiving(bytes: Int, _ server: Kept<Server>) -> Group {
    let plain = Kept { try PlainCurl(inFlight: 1) }
    let transport = CurlTransport()
    return Group(
        "HTTP, \(bytes >> 20) MB received as a stream (one operation: all of it)",
        against: Reference(
            "received as a stream",
            .timed("ref: libcurl driven by C, each portion dropped") {
                let (plain, url) = (try await plain.value, try await server.value.bytes(bytes))
                return try nanoseconds(for: 1) { try plain.receive(url) }
            }),
        [
            .timed("\(bytes >> 20) MB streamed", must: 1.11) {
                let url = try await server.value.bytes(bytes)
                return try await nanoseconds(for: 1) { try await receive(bytes, from: url, transport) }
            }
        ])
}

/// A large body that goes into a file.
func saving(bytes: Int, _ server: Kept<Server>) -> Group {
    let plain = Kept { try PlainCurl(inFlight: 1) }
    let transport = CurlTransport()
    let client = Client { $0.transport = transport }
    let (plainPath, path) = (Scratch.newFolder() + "/plain", Scratch.newFolder() + "/saved")
    return Group(
        "HTTP, \(bytes >> 20) MB received into a file (one operation: all of it)",
        against: Reference(
            "received into a file",
            .timed("ref: libcurl driven by C, each portion written") {
                let (plain, url) = (try await plain.value, try await server.value.bytes(bytes))
                return try nanoseconds(for: 1) { try plain.receive(url, into: plainPath) }
            }),
        [
            .timed("\(bytes >> 20) MB into a file", must: 1.11) {
                let url = try await server.value.bytes(bytes)
                return try await nanoseconds(for: 1) { try await receive(bytes, from: url, transport, into: path) }
            },
            .timed("\(bytes >> 20) MB by a Download", must: 1.11) {
                let url = try await server.value.bytes(bytes)
                return try await nanoseconds(for: 1) { try await download(bytes, from: url, client, to: path) }
            },
        ])
}

/// A file from a server that sends 10 MB a second over each connection.
func inParts(bytes: Int, _ server: Kept<Server>) -> Group {
    let client = Client()
    let path = Scratch.newFolder() + "/parts"
    return Group(
        "HTTP, a file from a server that limits each connection",
        [
            .number("HTTP, a Download over four connections: times the throughput of one") {
                let url = try await server.value.limited(bytes)
                let one = try await nanoseconds(for: 1) { try await download(bytes, from: url, client, to: path) }
                let four = try await nanoseconds(for: 1) {
                    try await download(bytes, from: url, client, to: path, parts: .upTo(4))
                }
                return one / four
            }
        ])
}

/// A large body that comes from a file.
func sending(bytes: Int, _ server: Kept<Server>) -> Group {
    let plain = Kept { try PlainCurl(inFlight: 1) }
    let transport = CurlTransport()
    let file = Kept { try largeFile(bytes) }
    return Group(
        "HTTP, \(bytes >> 20) MB sent from a file (one operation: all of it)",
        against: Reference(
            "sent from a file",
            .timed("ref: libcurl driven by C") {
                let (plain, url, file) = (try await plain.value, try await server.value.sink, try await file.value)
                return try nanoseconds(for: 1) { try plain.send(fileAt: file.path, to: url) }
            }),
        [
            .timed("\(bytes >> 20) MB from a file", must: 1.11) {
                let (url, file) = (try await server.value.sink, try await file.value)
                return try await nanoseconds(for: 1) { try await send(file, to: url, transport) }
            }
        ])
}

/// The growth of the process during the transfer of a large body.
func memoryForLargeBodies(bytes: Int, _ server: Kept<Server>) -> [Row] {
    let transport = CurlTransport()
    let client = Client { $0.transport = transport }
    let path = Scratch.newFolder() + "/saved"
    let file = Kept { try largeFile(bytes) }
    let megabytes = bytes >> 20
    return [
        .number("HTTP, \(megabytes) MB streamed: MB of memory more than before", must: 16) {
            let url = try await server.value.bytes(bytes)
            return try await megabytesOfGrowth { try await receive(bytes, from: url, transport) }
        },
        .number("HTTP, \(megabytes) MB into a file: MB of memory more than before", must: 16) {
            let url = try await server.value.bytes(bytes)
            return try await megabytesOfGrowth { try await receive(bytes, from: url, transport, into: path) }
        },
        .number("HTTP, 2048 MB by a Download: MB of memory more than before", must: 16) {
            let bytes = 2 << 30
            let url = try await server.value.bytes(bytes)
            defer { unlink(path) }
            return try await megabytesOfGrowth { try await download(bytes, from: url, client, to: path) }
        },
        .number("HTTP, \(megabytes) MB from a file: MB of memory more than before", must: 16) {
            let (url, file) = (try await server.value.sink, try await file.value)
            return try await megabytesOfGrowth { try await send(file, to: url, transport) }
        },
    ]
}

private func megabytesOfGrowth(_ work: () async throws -> Void) async throws -> Double {
    let (_, growth) = try await Memory.peakGrowth(of: work)
    return growth / 1_048_576
}

private func receive(_ bytes: Int, from url: URL, _ transport: CurlTransport) async throws {
    var count = 0
    for try await portion in try await stream(url, transport) { count += portion.count }
    guard count == bytes else { throw Failure("\(count) bytes came instead of \(bytes)") }
}

private func receive(_ bytes: Int, from url: URL, _ transport: CurlTransport, into path: String) async throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure("\(path) cannot be written") }
    defer { close(descriptor) }
    var count = 0
    for try await portion in try await stream(url, transport) {
        count += portion.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
    guard count == bytes else { throw Failure("\(count) bytes were written instead of \(bytes)") }
}

private final class Save: Download {
    let url: URL
    let owner: Client
    let path: String
    let connections: DownloadParts

    init(_ url: URL, _ owner: Client, to path: String, _ connections: DownloadParts) {
        self.url = url
        self.owner = owner
        self.path = path
        self.connections = connections
    }

    override var client: Client { owner }
    override var parts: DownloadParts { connections }
    override var endpoint: Endpoint { .get(url.absoluteString) }
    override var destination: Destination { .file(URL(fileURLWithPath: path)) }
}

private func download(
    _ bytes: Int, from url: URL, _ client: Client, to path: String, parts: DownloadParts = .one
) async throws {
    let file = try await Save(url, client, to: path, parts).promise.value
    guard file.count == bytes else { throw Failure("\(file.count) bytes were written instead of \(bytes)") }
}

private func stream(_ url: URL, _ transport: CurlTransport) async throws -> BodyStream {
    let response = try await transport.send(HTTPRequest(url: url), options: TransportOptions(delivery: .stream))
    guard response.status == 200 else { throw Failure("status \(response.status)") }
    return response.stream
}

private func send(_ file: URL, to url: URL, _ transport: CurlTransport) async throws {
    let response = try await transport.send(HTTPRequest(method: .put, url: url, body: .file(file)))
    guard response.status == 204 else { throw Failure("status \(response.status)") }
}

private func largeFile(_ bytes: Int) throws -> URL {
    let url = URL(fileURLWithPath: Scratch.newFolder() + "/large")
    try Data(repeating: 7, count: bytes).write(to: url)
    return url
}
