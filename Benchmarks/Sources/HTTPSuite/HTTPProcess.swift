import Foundation
import Harness
import LoopbackServer
import TangoRequest

/// The first argument of processes that run ``httpProcess(_:)``.
public let httpProcessOption = "--http-process"

/// Runs the task of another process of the suite. Its arguments come from ``Child``.
public func httpProcess(_ arguments: [String]) async throws {
    Holdings.raiseDescriptorLimit()
    switch arguments.first {
    case "serve": try serve()
    case "crowd": try await crowd(arguments[1...].map { $0 })
    case "endure": try await endure(arguments[1...].map { $0 })
    default: throw Failure("unknown task")
    }
}

private func serve() throws {
    let server = try LoopbackServer(recording: .none, bodies: .none)
    server.answer("/small", with: .json(#"{"id": 1, "name": "Ada Lovelace", "mail": "ada@example.com", "posts": 12}"#))
    server.answer("/person/*") { request in
        let about = String(repeating: "a", count: Int(request.path.dropFirst("/person/".count)) ?? 0)
        return .json(#"{"id": 1, "about": "\#(about)"}"#).header("Cache-Control", "max-age=100000")
    }
    server.answer("/lateperson", with: .json(#"{"id": 1, "about": "late"}"#).delayed(by: .seconds(0.3)))
    server.answer("/late", with: .text("late").delayed(by: .seconds(1)))
    server.answer("/sink", with: .status(204))
    server.answer("/bytes/*") { request in
        .generated(bytes: Int(request.path.dropFirst("/bytes/".count)) ?? 0)
    }
    server.answer("/limited/*") { request in
        let file = Entity(bytes: Int(request.path.dropFirst("/limited/".count)) ?? 0)
        return file.response(to: request).throttled(bytes: 100_000, every: .milliseconds(10))
    }
    server.answer("/events/*") { request in
        elements(Repetition.events, Int(request.path.dropFirst("/events/".count)) ?? 0, type: "text/event-stream")
    }
    server.answer("/rows/*") { request in
        elements(Repetition.large, Int(request.path.dropFirst("/rows/".count)) ?? 0, type: "application/x-ndjson")
    }
    say([Double(server.port)])
    // Until the parent process ends.
    while readLine() != nil {}
    server.stop()
}

/// A response with this number of elements, which are sent in portions.
private func elements(_ sample: Repetition, _ count: Int, type: String) -> Response {
    var response = Response.stream { writer in
        let (portion, full, rest) = sample.portions(count)
        for _ in 0..<full { try await writer.write(portion) }
        try await writer.write(rest)
    }
    response.headers.append("Content-Type", type)
    return response
}

/// Sends many requests at once. Reports the time until the last response, the number of threads, and the number of
/// threads before the requests.
private func crowd(_ arguments: [String]) async throws {
    guard let url = URL(string: arguments[0]), let count = Int(arguments[1]) else { throw Failure("no URL, no count") }
    let transport = CurlTransport()
    await withTaskGroup { group in
        for _ in 0..<count { group.addTask { await Task.yield() } }
    }
    let threadsBefore = Holdings.threads
    var threads = 0
    let seconds = try await nanoseconds(for: 1_000_000_000) {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try await get(url, transport) }
            }
            try await group.next()
            threads = Holdings.threads
            try await group.waitForAll()
            threads = max(threads, Holdings.threads)
        }
    }
    say([seconds, Double(threads), Double(threadsBefore)])
}

/// Sends very many requests. Reports the growth in bytes and descriptors after the first tenth of them.
private func endure(_ arguments: [String]) async throws {
    guard let url = URL(string: arguments[0]), let count = Int(arguments[1]) else { throw Failure("no URL, no count") }
    let transport = CurlTransport()
    try await get(url, transport, count: count / 10, inFlight: 16)
    let (bytes, descriptors) = (Holdings.residentBytes, Holdings.descriptors)
    try await get(url, transport, count: count - count / 10, inFlight: 16)
    say([Double(Holdings.residentBytes - bytes), Double(Holdings.descriptors - descriptors)])
}

private func say(_ numbers: [Double]) {
    let line = numbers.map { "\($0)" }.joined(separator: " ") + "\n"
    FileHandle.standardOutput.write(Data(line.utf8))
}
