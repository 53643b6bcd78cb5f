import Foundation
import TangoAuth
import TangoCache
import TangoPromise
import TangoRequest
import Testing

@testable import TestSupport

/// The page `docs/errors.md`: every error that a user can meet, thrown by the library and printed as a user sees it.
struct ErrorPage {
    /// An error, and the line on its cause.
    struct Sample {
        let cause: String
        let error: any Error
    }

    private(set) var samples: [Sample] = []

    /// Adds the error that `work` throws.
    mutating func add(_ cause: String, _ work: () async throws -> Any) async {
        do {
            _ = try await work()
            Issue.record("No error for the cause: \(cause)")
        } catch {
            add(cause, error)
        }
    }

    mutating func add(_ cause: String, _ error: any Error) {
        samples.append(Sample(cause: cause, error: error))
    }

    // MARK: Rendering

    var text: String {
        var text = """
            # All errors

            Every error that Tango makes: how it comes about, what `print(error)` shows, and, for a failed request, the
            sentence for the user (`message`). [Errors](../Sources/Request/Request.docc/Errors.md) explains codes and phases.

            A test makes all of these errors and compares them with this page. To write the page again:
            `TANGO_UPDATE_DOCS=1 swift test --filter ErrorPageTests`. The message of a system library is left out, as
            `(libcurl …)`, because it depends on the version.


            """
        let kinds = Dictionary(grouping: samples) { Self.kind(of: $0.error) }
        for (kind, samples) in kinds.sorted(by: { $0.key < $1.key }) {
            text += "## \(kind)\n\n"
            let codes = Dictionary(grouping: samples) { Self.code(of: $0.error) }
            for (code, samples) in codes.sorted(by: { $0.key < $1.key }) {
                if !code.isEmpty { text += "### \(code)\n\n" }
                let messages = Set(samples.compactMap(Self.message))
                if messages.count == 1 { text += messages.map { "To the user: \($0)\n\n" }.joined() }
                text += samples.map { Self.paragraph($0, withMessage: messages.count > 1) }.sorted().joined()
            }
        }
        return text.trimmingCharacters(in: .newlines) + "\n"
    }

    private static func paragraph(_ sample: Sample, withMessage: Bool) -> String {
        let text = "\(sample.cause)\n\n```text\n\(printed(sample.error))\n```\n\n"
        guard withMessage, let message = message(sample) else { return text }
        return text + "To the user: \(message)\n\n"
    }

    private static func message(_ sample: Sample) -> String? {
        (sample.error as? RequestError)?.message(in: .english)
    }

    /// Returns the type of an error.
    static func kind(of error: any Error) -> String { "\(type(of: error))" }

    /// Returns the code or the case of an error; empty without one.
    static func code(of error: any Error) -> String {
        switch error {
        case let error as RequestError: error.code.rawValue
        case let error as CacheError: error.code.description
        case let error as RequestEncodingError: error.code.rawValue
        case let error as OAuthError: error.code.rawValue
        case let error as TokenStoreError: error.code.description
        case let error as PromiseError: name(of: error)
        default: ""
        }
    }

    private static func name(of error: PromiseError) -> String {
        switch error {
        case .abandoned: "abandoned"
        case .cycle: "cycle"
        case .timedOut: "timedOut"
        case .invalid: "invalid"
        case .empty: "empty"
        case .deadlock: "deadlock"
        case .invalidCount: "invalidCount"
        default: "unknown"
        }
    }

    /// Returns the text of `print(error)`, without ports, paths and other parts that differ from run to run.
    static func printed(_ error: any Error) -> String {
        var text = "\(error)"
        text.replace(/127\.0\.0\.1:\d+/, with: "localhost:8080")
        text.replace(/api\.example\.com:\d{4,5}/, with: "api.example.com:8080")
        text.replace(/127\.0\.0\.1, port \d+/, with: "localhost, port 8080")
        text.replace("127.0.0.1 was", with: "localhost was")
        text.replace("127.0.0.1 does", with: "localhost does")
        text.replace(/\(libcurl \d+: .*?\)(?=, |$)/, with: "(libcurl …)")
        text.replace(/\d+ bytes were decoded to more than \d+/, with: "4000 bytes were decoded to more than 4200000")
        text.replace(/\/[^ "]*?\/tango-[0-9A-F-]{36}/, with: "/…")
        return text
    }
}

/// A folder for one test, which is removed after it. Its path is left out on the page.
final class TemporaryFolder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("tango-\(UUID().uuidString)")

    init() {
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
