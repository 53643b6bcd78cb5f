import Foundation
import LoopbackServer

/// The code under test in the documentation. Loads the body of a GET.
func load(_ url: URL) async throws -> String {
    try await onThread {
        let client = try RawClient(port: url.port ?? 80)
        client.send("GET \(url.path) HTTP/1.1\r\nHost: 127.0.0.1:\(url.port ?? 80)\r\nConnection: close\r\n\r\n")
        return client.everything().text.components(behind: "\r\n\r\n")
    }
}
