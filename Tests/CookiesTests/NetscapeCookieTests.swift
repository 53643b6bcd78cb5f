import ChildProcesses
import Foundation
import LoopbackServer
import Testing

@testable import TangoCookies
@testable import TangoRequest
@testable import TestSupport

/// Files in Netscape's format.
@Suite(.timeLimit(.minutes(20))) struct NetscapeCookieTests {
    private let jar = CookieJar(publicSuffixes: .list("com"))

    @Test func fileIsRead() {
        let text = """
            # Netscape HTTP Cookie File
            # a comment

            example.com\tFALSE\t/\tFALSE\t0\ta\t1
            #HttpOnly_.Example.com\tTRUE\t/x\tTRUE\t4000000000\tb\t2 3\r
            example.com\tFALSE\t/\tFALSE\t0\tempty
            example.com\tFALSE\t/\tFALSE\t0\tempty2\t
            example.com\tFALSE\t/\tFALSE\t1\told\t1
            """
        #expect(jar.importNetscape(text) == [])
        #expect(
            jar.cookies.map { $0.description.prefix { $0 != "," } } == [
                "a for example.com/", "b for example.com/x and the hosts below it", "empty for example.com/",
                "empty2 for example.com/",
            ])
        #expect(jar.cookies.map(\.isHTTPOnly) == [false, true, false, false])
        #expect(jar.cookies.map(\.value) == ["1", "2 3", "", ""])
        #expect(jar.cookies.map { $0.expires == nil } == [true, false, true, true])
    }

    @Test func linesThatAreNoCookiesAreReported() {
        let lines = [
            "example.com\tFALSE\t/\tFALSE\t0\ta\t1", "nonsense", "example.com\tMAYBE\t/\tFALSE\t0\ta\t1",
            "example.com\tFALSE\t/\tFALSE\tsoon\ta\t1", ".com\tTRUE\t/\tFALSE\t0\ta\t1",
            "example.com\tFALSE\t/\tFALSE\t0\t__Host-a\t1", "example.com\tFALSE\t/\tFALSE\t0\ta\tb\tc",
            "example.com\tFALSE\t/\tFALSE\tnan\ta\t1", "example.com FALSE / FALSE 0 a 1",
        ]
        #expect(jar.importNetscape(lines.joined(separator: "\n")) == [2, 3, 4, 5, 6, 7, 8, 9])
        #expect(jar.cookies.count == 1)
    }

    @Test func exportedFileIsReadAgain() throws {
        let url = try #require(URL(string: "https://a.example.com/x/y"))
        jar.store(
            [
                "a=1; Max-Age=1000; Secure", "b=2 3; Domain=example.com; HttpOnly; Path=/", "c=d=e", "on", "t=a\tb",
                "e=",
            ], from: url, at: Date())
        let other = CookieJar(publicSuffixes: .list("com"))
        #expect(other.importNetscape(jar.exportNetscape()) == [])
        #expect(other.cookies.map(\.pair) == ["a=1", "b=2 3", "c=d=e", "e="])
        for (one, two) in zip(other.cookies, jar.cookies.filter { !$0.name.isEmpty && $0.name != "t" }) {
            #expect(one.key == two.key)
            #expect(one.isSecure == two.isSecure && one.isHTTPOnly == two.isHTTPOnly)
            #expect(abs((one.expires ?? .distantPast).timeIntervalSince(two.expires ?? .distantPast)) <= 1)
        }
    }

    // MARK: With curl

    private static let curl = ["/usr/bin/curl", "/usr/local/bin/curl", "/opt/homebrew/bin/curl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    private func run(_ arguments: [String]) async throws -> String {
        let command = [try #require(Self.curl), "--silent", "--noproxy", "*"] + arguments
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let process = try ChildProcess(command: command)
                        defer { process.end() }
                        return process.lines().joined(separator: "\n")
                    })
            }
        }
    }

    @Test(.enabled(if: curl != nil, "curl is not installed"))
    func curlReadsAnExportedFile() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer { .text(($0.headers["Cookie"] ?? "none") + "\n") }
        jar.store(
            ["a=1; HttpOnly", "b=2 3; Max-Age=1000", "c=4; Path=/x", "d=5; Secure; SameSite=Lax"],
            from: server.url("/"), at: Date())
        let files = ScratchFiles()
        let file = try files.file("cookies.txt", Data(jar.exportNetscape().utf8))
        let sent = try await run(["--cookie", file.path, server.url("/").absoluteString])
        #expect(Set(sent.components(separatedBy: "; ")).isSuperset(of: ["a=1", "b=2 3"]))
        #expect(!sent.contains("c=4"))
        let below = try await run(["--cookie", file.path, server.url("/x/y").absoluteString])
        #expect(below.hasPrefix("c=4; "))
    }

    @Test(.enabled(if: curl != nil, "curl is not installed"))
    func fileOfCurlIsRead() async throws {
        let server = try LoopbackServer()
        defer { server.stop() }
        server.answer(
            with: .text("").header("Set-Cookie", "a=1; HttpOnly").header("Set-Cookie", "b=2 3; Max-Age=1000; Path=/x")
                .header("Set-Cookie", "c="))
        let files = ScratchFiles()
        let file = files.url.appendingPathComponent("cookies.txt")
        _ = try await run(["--cookie-jar", file.path, server.url("/x").absoluteString])
        #expect(jar.importNetscape(try String(contentsOf: file, encoding: .utf8)) == [])
        #expect(jar.cookies(for: server.url("/x")).map(\.pair).sorted() == ["a=1", "b=2 3", "c="])
        #expect(jar.cookies.filter(\.isHTTPOnly).map(\.name) == ["a"])
    }
}
