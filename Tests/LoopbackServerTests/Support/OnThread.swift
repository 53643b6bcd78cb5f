import Foundation
import LoopbackServer

/// Runs blocking work on a thread of its own.
///
/// Each suite is serialized, because all cases at once need more sockets than many systems allow a process.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Sends a request, and reads to the end of the connection.
func sees(_ server: LoopbackServer, _ request: String) async throws -> (text: String, ending: RawClient.Ending) {
    try await onThread {
        let client = try RawClient(server)
        client.send(request)
        return client.everything()
    }
}

/// Sends a request, closes the client's side, and returns everything that the server sends.
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
