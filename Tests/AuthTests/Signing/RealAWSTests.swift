import ChildProcesses
import Foundation
import TangoAuth
import TangoRequest
import Testing

@testable import TestSupport

/// Amazon's own signers, which `.ci/aws` installs.
private enum AmazonSigners {
    static let python = ProcessInfo.processInfo.environment["TANGO_AWS_PYTHON"]
    static let comment: Comment = "it needs Amazon's libraries for Python: run the tests with .ci/aws"
    static let script = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../.ci/tools/sign-aws.py").standardized.path

    /// Returns the signatures of each URL for a service, by both libraries.
    static func sign(_ rows: [(url: String, service: String)]) throws -> [[String]] {
        let files = ScratchFiles()
        let text = rows.map { "\($0.url)\t\($0.service)\n" }.joined()
        let file = try files.file("urls", Data(text.utf8))
        let process = try ChildProcess(command: [try #require(python), script, file.path])
        defer { process.end() }
        return process.lines().map { $0.split(separator: "\t").map(String.init) }
    }
}

@Suite(.enabled(if: AmazonSigners.python != nil, AmazonSigners.comment), .timeLimit(.minutes(20)))
struct RealAWSTests {
    /// All characters that may stand in a path, alone and in company, and queries.
    private static let rows: [(url: String, service: String)] = {
        let characters =
            "abzAZ09-._~:@+,;=!*'()$&".map(String.init) + ["%20", "%2F", "%c3%a9", "%25", "%40", "%7E", "%3a"]
        let paths = characters.flatMap { c in
            [
                "\(c)x", "items\(c)batchGet", "a/\(c)/b", "x\(c)", "a//\(c)\(c)/",
                "v1/a\(c)b/c\(c)?q=\(c == "~" ? c : "1")",
            ]
        }
        .filter { !$0.split(separator: "/").contains { $0 == "." || $0 == ".." } }
        let urls = (paths + ["", "a?b=2&a=1&a=0&c=", "a/?x=%20&y=%2F"]).map { "https://a.test/\($0)" }
        return urls.flatMap { [($0, "execute-api"), ($0, "s3")] }
    }()

    @Test func signaturesAreThoseOfAmazon() async throws {
        let expected = try AmazonSigners.sign(Self.rows)
        try #require(expected.count == Self.rows.count && expected.count > 300)
        let keys = AWSCredentials(keyID: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
        for (row, signatures) in zip(Self.rows, expected) {
            let signer = AWSSignature(credentials: keys, region: "us-east-1", service: row.service)
            let request = HTTPRequest(url: try #require(URL(string: row.url)))
            let signed = try await signer.signed(request, at: Date(timeIntervalSince1970: 1_440_938_160))
            for signature in signatures { #expect(signed.headers["Authorization"] == signature, "\(row)") }
        }
    }
}
