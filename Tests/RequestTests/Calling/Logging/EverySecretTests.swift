import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoCookies
import TangoMeasuring
import TangoRequest
import TangoTesting
import Testing

@testable import TestSupport

/// A secret in each place of a call, looked for in every output.
@Suite(.timeLimit(.minutes(20)))
struct EverySecretTests {
    /// A place in which applications have secrets.
    enum Place: CaseIterable {
        case pathSegment, wholePath, query, fragmentOfLocation, header, basic, cookie, clientHeader, addedHeader
        case form, json, jsonList, multipart, multipartJSON, xml
        case refusedForm, refusedJSON, refusedMultipart, refusedBasic, binaryEcho, statusText, refreshField, samlField
        case functionsKey, namelessCookie, namelessSetCookie
        case errorOfInterceptor, errorTextOfServer, echo, responseHeader, setCookie, trailer, tokenResponse
        case userinfo, proxy, replacedRequest, authenticator, pathParameter, referer, link, nestedJSON, encodedForm

        var endpoint: Endpoint {
            switch self {
            case .pathSegment: Endpoint.get("/a/\(secret)/b").redacting(secret)
            case .wholePath: Endpoint.get("/\(secret)", query: ["a": .init(secret)]).redacting(secret)
            case .query: .get("/a", query: ["access_token": .init(secret)])
            case .header, .echo, .errorOfInterceptor: .get("/a", headers: ["Authorization": "Bearer \(secret)"])
            case .basic:
                .get("/a", headers: ["Authorization": "Basic \(Data("ada:\(secret)".utf8).base64EncodedString())"])
            case .cookie: .get("/a", headers: ["Cookie": "theme=dark; sid=\(secret)"])
            case .namelessCookie: .get("/a", headers: ["Cookie": "theme=dark; \(secret)"])
            case .form: .post("/a", body: .form(["user": "ada", "password": .init(secret)]))
            case .json: .post("/a", body: .json(["user": "ada", "clientSecret": .init(secret)]))
            case .xml: .post("/a", body: .string("<a><password>\(secret)</password></a>", contentType: "text/xml"))
            case .multipart, .refusedMultipart:
                .post("/a", body: .multipart([.text(secret, named: "password"), .text("ada", named: "user")]))
            case .multipartJSON:
                .post(
                    "/a",
                    body: .multipart([.data(Data(#"{"pin": "\#(secret)"}"#.utf8), named: "details", type: .json)]))
            case .refusedForm: .post("/a", body: .form(["user": "ada", "pass": .init(secret)]))
            case .refusedJSON: .post("/a", body: .json(["user": "ada", "passcode": .init(secret)]))
            case .jsonList: .post("/a", body: .json(["otp": [secret, "b"]]))
            case .refusedBasic, .binaryEcho, .statusText:
                .get("/a", headers: ["Authorization": "Basic \(Data("ada:\(secret)".utf8).base64EncodedString())"])
            case .refreshField: .post("/a", body: .json(["refresh": .init(secret)]))
            case .samlField: .post("/a", body: .form(["SAMLResponse": .init(secret)]))
            case .pathParameter: .get("/a;token=\(secret)/b")
            case .referer: .get("/a", headers: ["Referer": "https://example.com/b?access_token=\(secret)"])
            case .nestedJSON:
                .post("/a", body: .json(["list": [["name": "ada", "credentials": ["value": .init(secret)]]]]))
            case .encodedForm: .post("/a", body: .form(["user[password]": .init("\(secret)&/%")]))
            case .authenticator, .link: .get("/a")
            case .functionsKey: .get("/a", headers: ["X-Functions-Key": secret, "JWTToken": secret])
            default: .post("/a", body: .string("plain"))
            }
        }

        /// The response of the server, which repeats what it was sent.
        func response(to request: RecordedRequest, _ status: Int) -> Response {
            switch self {
            case .fragmentOfLocation:
                return .redirect(to: "/b#access_token=\(secret)", status: 300)
            case .errorTextOfServer: return .json(#"{"message": "bad", "password": "\#(secret)"}"#, status: status)
            case .responseHeader: return Response.text("ok", status: status).header("X-Auth-Token", secret)
            case .setCookie: return Response.text("ok", status: status).header("Set-Cookie", "sid=\(secret); Path=/")
            case .namelessSetCookie:
                return Response.text(secret, status: status).header("Set-Cookie", "\(secret); Path=/")
            case .trailer: return Response.text("ok", status: status).chunked().trailers(["X-Api-Key": secret])
            case .tokenResponse:
                return .json(
                    #"{"access_token":"\#(secret)","expires_in":60,"list":[{"refresh_token":"\#(secret)"}]}"#,
                    status: status)
            case .refusedForm, .refusedJSON, .refusedMultipart, .refusedBasic, .refreshField:
                let json = #"{"message": "the password \#(secret) is wrong", "access": "\#(secret)"}"#
                return Response.json(json, status: status).header("X-Reason", "\(secret) is wrong")
            case .binaryEcho:
                return Response.bytes(Data([0, 255]) + Data(secret.utf8) + Data([0, 255]), status: status)
            case .statusText: return .status(status, reason: "\(secret) is wrong")
            case .encodedForm:
                return Response.text("you sent \(secret)&/%", status: status).header("X-Echo", "\(secret)&/%")
            case .link: return Response.text("ok", status: status).header("Link", "</b?sig=\(secret)>; rel=\"next\"")
            case .echo, .header, .cookie, .namelessCookie, .query, .basic, .pathSegment, .authenticator, .nestedJSON:
                return Response.text("you sent \(secret)", status: status).header("X-Echo", secret)
            default: return .text("ok", status: status)
            }
        }
    }

    /// Statuses of successes and failures, with each level of the log.
    static let runs: [(Int, CallLog.Level)] = [
        (200, .body), (403, .body), (200, .headers), (403, .headers), (200, .line), (403, .line),
    ]

    @Test(arguments: Place.allCases, runs)
    func noOutputHasTheSecret(_ place: Place, _ run: (status: Int, level: CallLog.Level)) async throws {
        let (status, level) = run
        let site = try Site()
        site.server.answer { place.response(to: $0, status) }
        let outputs = Outputs()
        let files = ScratchFiles()
        let recording = files.url.appendingPathComponent("run.har")
        let recorder = try HARRecorder(file: recording)
        let waterfall = Waterfall()
        let client = Client(
            baseURL: place == .userinfo
                ? URL(string: site.server.url.absoluteString.replacing("http://", with: "http://ada:\(secret)@"))
                : site.server.url
        ) {
            $0.timeouts = .patient
            $0.log = CallLog(level) { outputs.add("log", "\($0)") }
            if place == .authenticator { $0.authenticator = TokenAuthenticator(Issuing()) }
            if place == .clientHeader { $0.headers = ["X-Api-Key": secret] }
            if place == .addedHeader {
                $0.headers = ["X-Tenant": secret]
                $0.redaction.add(headers: ["X-Tenant"])
            }
            if place == .replacedRequest {
                $0.redaction.add(headers: ["X-Tenant"])
                $0.interceptors = [Replacing()]
            }
            if place == .errorOfInterceptor { $0.attemptInterceptors = [Refusing(text: "sent \(secret)")] }
            if place == .proxy {
                $0.transport = CurlTransport(
                    CurlConfiguration(proxy: .http(host: "127.0.0.1", port: 1, user: "ada", password: secret)))
            }
            $0.observers.append(recorder)
            $0.observers.append(waterfall)
            $0.collectsStatistics = true
            $0.observe { outputs.add("event", "\($0.kind)", $0.kind) }
        }
        let request = Fetch<String>(place.endpoint, of: client)
        outputs.add("endpoint", "\(place.endpoint)", place.endpoint)
        outputs.add("curl before", (try? request.curlCommand()) ?? "")
        let call = request.start()
        do {
            outputs.add("value", "", try await call.value == secret)
        } catch {
            outputs.add("error", "\(error)", error)
            outputs.add("localized", error.localizedDescription)
            let failure = try #require(
                error as? RequestError ?? (error as? Refused).map { _ in .init(.badURL, phase: .prepare, detail: "") })
            outputs.add("message", failure.message + (failure.failureReason ?? ""))
            outputs.add("debug", failure.debugDescription)
            if let failed = failure.request { outputs.add("failed request", failed.debugDescription, failed) }
            if let response = failure.response { outputs.add("failed response", response.debugDescription, response) }
        }
        outputs.add("call", "\(call)", call)
        outputs.add("name", call.name)
        outputs.add("curl", call.curlCommand ?? "")
        outputs.add("explanation", call.explanation.map { "\($0)" } ?? "")
        for attempt in call.attempts {
            outputs.add("attempt", attempt.request.debugDescription, attempt.request)
            if let response = attempt.response { outputs.add("response", response.debugDescription, response) }
        }
        if let response = call.response { outputs.add("response of call", response.debugDescription, response) }
        outputs.add("client", "\(client)", client)
        await client.shutdown()
        outputs.add("recording", try String(contentsOf: recording, encoding: .utf8))
        outputs.add("exchanges", "", try Recording(file: recording).exchanges)
        outputs.add("timeline", "\(call.timeline)", call.timeline)
        outputs.add("waterfall", waterfall.text(width: 200), waterfall)
        outputs.add("page", waterfall.html())
        outputs.add("statistics", "\(client.statistics)", client.statistics)
        outputs.add("Prometheus", client.statistics.prometheus)
        outputs.add("configuration", "\(client.configuration)", client.configuration)
        #expect(recorder.count == max(call.attempts.count, 0))
        #expect(outputs.all.contains { $0.0 == "log" })
        for (name, text) in outputs.all where text.contains(secret) || text.contains("c2VzYW1l") {
            Issue.record("\(name) has the secret: \(text)")
        }
        if place != .userinfo, place != .proxy, status == 200, place != .errorOfInterceptor {
            #expect(
                outputs.all.contains { $0.1.contains("…") } || place == .multipart || place == .wholePath
                    || place == .binaryEcho)
        }
    }

    /// Values that look like secrets, or that equal a short one, are shown in logs and recordings.
    @Test func ordinaryValuesAreNotHidden() async throws {
        let site = try Site()
        let ordinary = #"""
            {"closed_at": "2026-01-01", "state": "closed", "code": "DE", "key": "createdAt", "pass_count": 3, "access_level": 2,
            "refresh_rate": 60, "tokens": 512, "number": 1234567, "text": "the password: choose another", "log": "token=none",
            "author": "ada", "signed": true, "seasons": 5, "note": "Basic authentication", "sort_key": "name",
            "country_code": "DE", "designs": 1, "passport": "Bob", "secretary": "Eve", "bearing": 90, "theme": "solarized"}
            """#
        site.server.answer(
            with: Response.json(ordinary).header("Set-Cookie", "uid=1234567").header("Set-Cookie", "theme=solarized")
                .header("X-Request-Id", "a1b2c3d4e5").header("ETag", "\"abcdef12\"").header("X-Author", "ada"))
        let outputs = Outputs()
        let files = ScratchFiles()
        let recording = files.url.appendingPathComponent("run.har")
        let recorder = try HARRecorder(file: recording)
        let waterfall = Waterfall()
        let client = Client(baseURL: site.server.url) {
            $0.log = CallLog(.body, bodyLimit: 10_000) { outputs.add("log", "\($0)") }
            $0.observers.append(recorder)
            $0.observers.append(waterfall)
        }
        let endpoint = Endpoint.get(
            "/closed/1234567",
            query: [
                "state": "closed", "code": "DE", "key": "createdAt", "country_code": "DE", "page": 2, "tokens_used": 3,
            ],
            headers: ["X-Trace": "closed-1234567", "Accept-Language": "de"])
        let call = Fetch<String>(endpoint, of: client).start()
        _ = try await call.value
        await client.shutdown()
        // The places of a URL and of headers, in each output that has them.
        let path = "/closed/1234567?state=…&code=…&key=…&country_code=DE&page=2&tokens_used=3"
        for text in [
            call.curlCommand ?? "", waterfall.text(width: 300),
            try String(contentsOf: recording, encoding: .utf8),
        ] {
            #expect(text.replacing("\\/", with: "/").contains(path), "\(text)")
        }
        #expect(waterfall.html().replacing("&amp;", with: "&").contains(path))
        #expect("\(call)".contains("/closed/1234567"))
        #expect(call.curlCommand?.contains("X-Trace: closed-1234567") == true)
        let response = try #require(call.response).debugDescription
        for shown in ["X-Request-Id: a1b2c3d4e5", "ETag: \"abcdef12\"", "X-Author: ada"] {
            #expect(response.contains(shown))
        }
        let exchange = try #require(try Recording(file: recording).exchanges.first)
        #expect(exchange.response?.body == Data(ordinary.utf8))
        let log = outputs.all.map(\.1).joined(separator: "\n").replacing("\n    ", with: "\n")
        for line in ordinary.split(separator: "\n") { #expect(log.contains(line.drop { $0 == " " })) }
        for shown in [
            "/closed/1234567?state=…&code=…&key=…&country_code=DE&page=2&tokens_used=3", "X-Trace: closed-1234567",
            "Accept-Language: de", "X-Request-Id: a1b2c3d4e5", "ETag: \"abcdef12\"", "X-Author: ada",
        ] {
            #expect(log.contains(shown))
        }
    }

    /// The test above can fail: without a name for it, the secret is in the outputs.
    @Test func secretWithoutANameIsShown() async throws {
        let site = try Site()
        site.server.answer(with: .text("ok"))
        let outputs = Outputs()
        let client = Client(baseURL: site.server.url) {
            $0.log = CallLog(.headers) { outputs.add("log", "\($0)") }
        }
        _ = try await Fetch<String>(.get("/a", headers: ["X-Tenant": secret]), of: client).promise.value
        #expect(outputs.all.contains { $0.1.contains(secret) })
    }

    private struct Issuing: TokenSource {
        func token(replacing old: Token?, context: AuthenticationContext) async throws -> Token { Token(secret) }
    }

    private struct Refused: LocalizedError {
        let text: String
        var errorDescription: String? { "refused" }
    }

    /// Sends another request, which it has made itself.
    private struct Replacing: Interceptor {
        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            try await next(HTTPRequest(url: request.url, headers: ["X-Tenant": secret]))
        }
    }

    private struct Refusing: Interceptor {
        let text: String

        func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
            _ = try await next(request)
            throw RequestError(.refusedResponse, phase: .receive, detail: text, underlying: Refused(text: text))
        }
    }

    /// The outputs of a call, as texts.
    private final class Outputs: Sendable {
        private let list = Mutex<[(String, String)]>([])

        var all: [(String, String)] { list.withLock(\.self) }

        func add(_ name: String, _ text: String) {
            list.withLock { $0.append((name, text)) }
        }

        /// Adds a text, and what a debugger shows of a value.
        func add(_ name: String, _ text: String, _ value: Any) {
            var dumped = ""
            dump(value, to: &dumped)
            add(name, text)
            add("dump of \(name)", dumped)
        }
    }
}

private let secret = "open-sesame-31415"
