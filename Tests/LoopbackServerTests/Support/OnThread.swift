import Foundation
import LoopbackServer

/// Runs what blocks on a thread of its own.
///
/// The suites are serialized each: all cases at once would have more sockets than many systems give to a process.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// What a client sees that sends a request, and reads to the end of the connection.
func sees(_ server: LoopbackServer, _ request: String) async throws -> (text: String, ending: RawClient.Ending) {
    try await onThread {
        let client = try RawClient(server)
        client.send(request)
        return client.everything()
    }
}

/// What a client gets that sends a request, and then ends its side.
func answer(_ server: LoopbackServer, _ request: String) async throws -> String {
    try await onThread {
        let client = try RawClient(server)
        client.send(request)
        client.endSending()
        return client.everything().text
    }
}

/// The bytes of a GET.
func get(_ target: String, _ headers: String...) -> String {
    "GET \(target) HTTP/1.1\r\nHost: a\r\n" + headers.map { "\($0)\r\n" }.joined() + "\r\n"
}

/// The bytes of a POST.
func post(_ target: String, _ body: String, _ headers: String...) -> String {
    "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n"
        + headers.map { "\($0)\r\n" }.joined() + "\r\n" + body
}
