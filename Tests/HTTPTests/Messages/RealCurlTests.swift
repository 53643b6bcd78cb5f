import ChildProcesses
import Foundation
import LoopbackServer
import TangoRequest
import Testing

@testable import TestSupport

/// Commands that real shells and a real curl run. A server compares what they send with the request of the transport.
@Suite(.enabled(if: RealCurl.isThere, "curl, bash or dash is not installed"), .timeLimit(.minutes(20)))
struct RealCurlTests {
    private static let methods: [HTTPMethod] = [
        .get, .post, .put, .patch, .delete, .options, HTTPMethod(rawValue: "PURGE"),
    ]

    private static let bodies: [(String, Body)] = [
        ("none", .none), ("empty", .data(Data(), contentType: "a/b")),
        ("text", .string("it's \"$(id)\" `id` \\ \n@x ä%")),
        // For Swift, the quote and its mark are one Character. For a shell, the quote ends the word.
        ("combining mark", .string("'\u{301}; touch owned; '\u{301}")), ("JSON", .json(["title": "it's", "n": 1])),
        ("form", .form(["user": "ada", "note": "a&b=c"])),
        ("multipart", .multipart([.text("it's", named: "a'\u{301}b")])),
        ("binary", .data(Data(0...255) + Data("%d\\n'".utf8))),
        ("long", .string(String(repeating: "it's \n", count: 40_000))),
        ("file name", .string("@/etc/hostname", contentType: nil)),
    ]

    private static let headers: Headers = [
        "X-Quote": "it's $(id) `id` \\ \"", "X-Empty": "", "X-Mark": "'\u{301}; touch owned; '",
    ]

    private struct Sent: Equatable {
        let method: String
        let target: String
        let headers: [String]
        let body: Data

        init(_ request: RecordedRequest) {
            method = request.method
            target = request.target
            body = request.body
            let ofClient = ["host", "user-agent", "accept", "accept-encoding", "connection"]
            headers = request.headers.map { "\($0.name.lowercased()): \($0.value)" }
                .filter { line in !ofClient.contains { line.hasPrefix($0 + ":") } }.sorted()
        }
    }

    /// Seventy requests, each by two shells.
    @Test(arguments: methods) func shellsSendWhatTheTransportSends(_ method: HTTPMethod) async throws {
        let site = try Site()
        site.server.answer(with: .text("ok"))
        let client = site.client()
        let files = ScratchFiles()
        for (name, body) in Self.bodies {
            let url = try #require(URL(string: "\(site.server.url)/a'b/$(id)?q=`id`&x=%27"))
            let request = HTTPRequest(method: method, url: url, headers: Self.headers, body: body)
            _ = try await client.send(request)
            let expected = Sent(try #require(site.server.requests.last))
            let script = try files.file(
                "\(method)-\(name).sh", Data("exec 2>/dev/null\n\(request.curlCommand(showingSecrets: true))".utf8))
            for shell in RealCurl.shells {
                let count = site.server.requests.count
                try await run([shell, script.path])
                try #require(site.server.requests.count == count + 1)
                #expect(Sent(try #require(site.server.requests.last)) == expected, "\(name) by \(shell)")
            }
        }
        #expect(!FileManager.default.fileExists(atPath: "owned"))
    }

    private func run(_ command: [String]) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let process = try ChildProcess(command: ["/usr/bin/env", "no_proxy=*"] + command)
                        defer { process.end() }
                        _ = process.lines()
                    })
            }
        }
    }
}

private enum RealCurl {
    static let shells = ["/bin/bash", "/bin/dash"]

    static var isThere: Bool {
        let hasCurl = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"].contains(where: exists)
        return hasCurl && shells.allSatisfy(exists)
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }
}
