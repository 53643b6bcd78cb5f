import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

/// A recorded run of random requests, which is replayed in another order.
@Suite(.timeLimit(.minutes(20)))
struct RandomRunTests {
    /// A request with secrets in all places. Few values are possible, so that many requests differ in their secrets only.
    private struct Sent: Hashable {
        enum Form: CaseIterable {
            case none, json, form, xml, multipart, binary, latin
        }

        static let strong = ["k-98sdf7-3ljk2", "a long secret", "ümläut-ß-12345", "q\"uo\\te&d=1"]

        var method: HTTPMethod
        var path: String
        var marked: String?
        var query: [String: String]
        var fields: [String: String]
        var form: Form
        /// The number of a request whose body repeats a secret that only its response has.
        var repeating: Int?

        init(_ number: Int, _ random: inout SeededNumbers) {
            func oneOf(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
            func one<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }
            let secrets = ["DE", "FR", "1234", "0000", "password"] + Self.strong
            method = one([.get, .head, .post, .put, .delete])
            path = one(["/a", "/b/c"])
            marked = oneOf(2) ? one(Array(Self.strong.prefix(2))) : nil
            query = ["page": one(["1", "2"])]
            for name in ["code", "access_token", "api_key"] where oneOf(3) { query[name] = one(secrets) }
            form = method == .get || method == .head ? .none : one(Form.allCases)
            fields = ["title": one(["one", "two"])]
            for name in ["password", "pin"] where oneOf(2) { fields[name] = one(secrets) }
            if [.none, .multipart, .binary, .latin].contains(form) { fields = [:] }
            if form == .json, oneOf(4) { repeating = number }
        }

        var body: Body {
            get throws {
                switch form {
                case .none: return .none
                case .json:
                    var fields = fields
                    fields["note"] = repeating.map { "the mark is \(RandomRunTests.cookie($0))." }
                    return .data(try JSONEncoder().encode(fields), contentType: "application/json")
                case .form: return .form(Query(fields))
                case .xml:
                    let elements = fields.sorted { $0.key < $1.key }.map { "<\($0)>\($1)</\($0)>" }.joined()
                    return .string("<a>\(elements)</a>", contentType: "application/xml")
                case .multipart:
                    // It is not compared, because it is streamed.
                    return .multipart([.text("hidden-password", named: "password")])
                case .binary: return .data(Data([0, 1, 255, 254]), contentType: "application/octet-stream")
                case .latin: return .data(Data([0x67, 0xFC, 0xDF]), contentType: "text/plain; charset=iso-8859-1")
                }
            }
        }

        func endpoint() throws -> Endpoint {
            let path = path + (marked.map { "/\($0)" } ?? "")
            let endpoint = Endpoint(method: method, path: path, query: Query(query), body: try body)
            return marked.map { endpoint.redacting($0) } ?? endpoint
        }
    }

    private static func cookie(_ number: Int) -> String { "hidden\(number)xyz" }

    private func number(of sent: Sent, _ client: Client) async throws -> Int? {
        let call = Fetch<Data>(try sent.endpoint(), of: client).start()
        _ = try await call.value
        return call.response?.headers["X-Number"].flatMap { Int($0) }
    }

    /// Requests with the same secrets get the responses that they were recorded with, in their order.
    @Test(arguments: [UInt64.random(in: 0...UInt64.max), 1])
    func runIsReplayedInAnyOrder(_ seed: UInt64) async throws {
        let files = ScratchFiles()
        let file = files.url.appendingPathComponent("run.har")
        let site = try Site()
        var random = SeededNumbers(seed: seed)
        let run = (0..<500).map { Sent($0, &random) }
        let redirects = run.map { $0.method == .get && Bool.random(using: &random) }
        let now = Mutex(0)
        site.server.answer { request in
            let number = now.withLock(\.self)
            guard !redirects[number] || request.target.hasPrefix("/next") else {
                return .redirect(to: "/next?code=hidden\(number)&session=\(number)")
            }
            return .json(#"{"number":\#(number),"token":"hidden-token-\#(number)","url":"/x?code=hidden\#(number)"}"#)
                .header("X-Number", "\(number)").header("Set-Cookie", "sid=\(Self.cookie(number))")
        }
        let recorder = try HARRecorder(file: file)
        let client = Client(baseURL: site.server.url) {
            $0.timeouts = .patient
            $0.observers = [recorder]
            $0.headers = ["Authorization": "Bearer abc-123-def-456", "X-Api-Key": "abc-123-789"]
        }
        for (index, sent) in run.enumerated() {
            now.withLock { $0 = index }
            #expect(try await number(of: sent, client) == index, "seed \(seed)")
        }
        await client.shutdown()
        recorder.close()
        let content = try String(contentsOf: file, encoding: .utf8)
        for secret in ["98sdf7", "a long secret", "-12345", "hidden", "abc-123"] {
            #expect(!content.contains(secret), "seed \(seed)")
        }

        let replay = try HARReplay(file: file)
        let player = Client(baseURL: site.server.url) {
            $0.transport = replay
            $0.retryPolicy = .never
        }
        var newest: [Sent: Int] = [:]
        for sent in run.shuffled(using: &random) {
            let number = try #require(try await number(of: sent, player), "seed \(seed)")
            var recorded = run[number]
            // The recording does not have the secret that makes the difference.
            if recorded.repeating != nil, sent.repeating != nil { recorded.repeating = sent.repeating }
            #expect(recorded == sent, "seed \(seed)")
            #expect(newest[sent, default: -1] < number, "seed \(seed)")
            newest[sent] = number
        }
        try replay.verify()
    }
}
