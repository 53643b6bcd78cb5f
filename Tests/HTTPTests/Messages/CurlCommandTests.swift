import Foundation
import TangoAuth
import TangoRequest
import Testing

@testable import TestSupport

/// Commands for a shell. A real shell reads them, with a function in place of `curl` that prints its arguments.
@Suite struct CurlCommandTests {
    private static let url = URL(string: "https://api.example.com/a?b=1&c=2")!

    /// Returns the arguments of `curl` in a command, and what it reads from standard input.
    private func run(_ command: String) throws -> (arguments: [String], input: Data) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let script = """
            curl() {
                for argument in "$@"; do printf '%s\\000' "$argument"; done > arguments
                case " $* " in *' @- '*) cat > input ;; esac
            }
            \(command)
            """
        let shell = Process()
        shell.executableURL = URL(filePath: "/bin/sh")
        let file = folder.appending(path: "script")
        try Data(script.utf8).write(to: file)
        shell.arguments = ["-eu", file.path]
        shell.currentDirectoryURL = folder
        shell.standardInput = FileHandle.nullDevice
        try shell.run()
        shell.waitUntilExit()
        try #require(shell.terminationStatus == 0)
        let arguments = try Data(contentsOf: folder.appending(path: "arguments"))
        let input = (try? Data(contentsOf: folder.appending(path: "input"))) ?? Data()
        return (
            arguments.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
                String(decoding: $0, as: UTF8.self)
            }, input
        )
    }

    @Test(
        arguments: [
            (HTTPRequest(url: url), ["--compressed", "https://api.example.com/a?b=1&c=2"]),
            (HTTPRequest(method: .head, url: url), ["--compressed", "--head", "https://api.example.com/a?b=1&c=2"]),
            (
                HTTPRequest(method: .delete, url: url, headers: ["X-It's": "$(ls) `x` \\ \"", "Empty": ""]),
                [
                    "--compressed", "--request", "DELETE", "--header", "X-It's: $(ls) `x` \\ \"", "--header", "Empty;",
                    "https://api.example.com/a?b=1&c=2",
                ]
            ),
            (
                HTTPRequest(method: .post, url: url, body: .string("it's\n@x ä", contentType: "text/plain")),
                [
                    "--compressed", "--header", "Content-Type: text/plain", "--data-raw", "it's\n@x ä",
                    "https://api.example.com/a?b=1&c=2",
                ]
            ),
            (
                HTTPRequest(method: .put, url: url, headers: ["content-type": "a/b"], body: .data(Data("x".utf8))),
                [
                    "--compressed", "--request", "PUT", "--header", "content-type: a/b", "--data-raw", "x",
                    "https://api.example.com/a?b=1&c=2",
                ]
            ),
            (
                HTTPRequest(method: .post, url: url, body: .data(Data("x".utf8))),
                ["--compressed", "--header", "Content-Type:", "--data-raw", "x", "https://api.example.com/a?b=1&c=2"]
            ),
            (
                HTTPRequest(method: .post, url: url, body: .file(URL(filePath: "/tmp/a b"), contentType: "a/b")),
                [
                    "--compressed", "--header", "Content-Type: a/b", "--data-binary", "@/tmp/a b",
                    "https://api.example.com/a?b=1&c=2",
                ]
            ),
            (
                HTTPRequest(method: .post, url: url),
                [
                    "--compressed", "--request", "POST", "--header", "Content-Length: 0",
                    "https://api.example.com/a?b=1&c=2",
                ]
            ),
            (
                HTTPRequest(url: URL(string: "https://api.example.com/a/%2e./b")!),
                ["--compressed", "--path-as-is", "https://api.example.com/a/%2e./b"]
            ),
            (
                HTTPRequest(method: .get, url: url, body: .json(["a": 1])),
                [
                    "--compressed", "--request", "GET", "--header", "Content-Type: application/json", "--data-raw",
                    "{\"a\":1}", "https://api.example.com/a?b=1&c=2",
                ]
            ),
        ] as [(HTTPRequest, [String])])
    func shellReadsTheCommandAsItWasMeant(_ request: HTTPRequest, _ arguments: [String]) throws {
        #expect(try run(request.curlCommand).arguments == arguments)
    }

    @Test func binaryBodyIsPrinted() throws {
        let bytes = Data(0...255) + Data("%d\\n'".utf8)
        let result = try run(HTTPRequest(method: .post, url: Self.url, body: .data(bytes)).curlCommand)
        #expect(result.input == bytes)
        #expect(result.arguments.contains("@-"))
    }

    @Test func longTextIsPrinted() throws {
        let text = String(repeating: "it's\n", count: 40_000)
        let result = try run(HTTPRequest(method: .post, url: Self.url, body: .string(text)).curlCommand)
        #expect(String(decoding: result.input, as: UTF8.self) == text)
    }

    /// For Swift, a quote and a combining mark are one `Character`.
    @Test func quoteBeforeACombiningMarkEndsNoWord() throws {
        let text = "'\u{301}; exit 3; '\u{301}"
        let request = HTTPRequest(method: .post, url: Self.url, headers: ["X": text], body: .string(text))
        let arguments = try run(request.curlCommand).arguments
        #expect(arguments.contains(text) && arguments.contains("X: \(text)"))
    }

    @Test func anyTextIsOneWord() throws {
        var generator = SystemRandomNumberGenerator()
        let characters = Array("'\"\\$`!*?[]{}()<>|&;#~ \n\tä\u{1F600}a=%")
        let texts = (0..<20).map { _ in String((0..<30).map { _ in characters.randomElement(using: &generator)! }) }
        for text in texts {
            let request = HTTPRequest(method: .post, url: Self.url, body: .string(text))
            #expect(try run(request.curlCommand).arguments.contains(text))
        }
    }

    @Test func secretsAreShownOnlyIfAsked() throws {
        let request = HTTPRequest(
            method: .post, url: try #require(URL(string: "https://ada:open-sesame@h/?token=query-secret")),
            headers: ["Authorization": "Bearer header-secret", "X-Copy": "header-secret"],
            body: .json(["password": "body-secret", "copy": "header-secret"]))
        let secrets = ["open-sesame", "query-secret", "header-secret", "body-secret"]
        let safe = request.curlCommand
        for secret in secrets { #expect(!safe.contains(secret)) }
        #expect(safe.contains("--header 'Authorization: …'"))
        let whole = request.curlCommand(showingSecrets: true)
        for secret in secrets { #expect(whole.contains(secret)) }
    }

    @Test func namedSecretsOfAnEndpointAreNotInTheCommand() throws {
        let command = try Sample(Endpoint.post("https://h.example/reset/1a2b", body: .string("1a2b")).redacting("1a2b"))
            .curlCommand()
        #expect(command.contains("'https://h.example/reset/…'"))
    }

    private final class Sample: Request<Data> {
        private let place: Endpoint
        init(_ place: Endpoint) { self.place = place }
        override var endpoint: Endpoint { place }
    }
}
