import Foundation

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

/// Responses for tests of storing, and a way to read their bodies.
protocol RepliesToKeep {}

extension RepliesToKeep {
    static var fresh: [(String, String)] { [("Cache-Control", "max-age=3600")] }
    static var portion: String { String(repeating: "0123456789abcdef", count: 1 << 10) }
    static var tag: [(String, String)] { [("ETag", "\"a\"")] }

    func streamed(_ count: Int, also headers: [(String, String)] = []) -> HTTPCacheOrigin.Reply {
        HTTPCacheOrigin.Reply(headers: Self.fresh + headers, portions: Array(repeating: Self.portion, count: count))
    }

    func text(_ response: HTTPResponse) async throws -> String {
        var response = response
        try await response.collect()
        return String(decoding: response.body, as: UTF8.self)
    }
}
