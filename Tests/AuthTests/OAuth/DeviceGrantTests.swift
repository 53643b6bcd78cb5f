import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

@Suite(.timeLimit(.minutes(20)))
struct DeviceGrantTests {
    private static let codes = #"""
        {"device_code":"d-12345678","user_code":"WDJB-MJHT","verification_uri":"https://example.com/device",
        "verification_uri_complete":"https://example.com/device?user_code=WDJB-MJHT","expires_in":1800,"interval":5}
        """#

    private static func error(_ code: String, status: Int = 400) -> Response {
        .json(#"{"error":"\#(code)"}"#, status: status)
    }

    /// The codes that a grant has shown.
    private final class Screen: Sendable {
        private let shown = Mutex<[DeviceAuthorization]>([])
        var all: [DeviceAuthorization] { shown.withLock { $0 } }
        func show(_ codes: DeviceAuthorization) { shown.withLock { $0.append(codes) } }
    }

    private func begin(
        _ endpoint: TokenEndpoint, _ screen: Screen = Screen(), scopes: [String] = []
    ) throws -> Task<Token, any Error> {
        let oauth = try endpoint.oauth(
            .device(at: try endpoint.url("/device"), scopes: scopes) { screen.show($0) },
            client: OAuthClient(id: "tv"))
        let context = endpoint.context
        return Task { try await oauth.token(replacing: nil, context: context) }
    }

    private func wait(_ seconds: Int, on clock: ManualClock) async {
        await clock.sleepers()
        clock.advance(by: .seconds(seconds) - .milliseconds(1))
        await clock.sleepers()
        clock.advance(by: .milliseconds(1))
    }

    @Test func tokenIsRequestedUntilTheUserHasEnteredTheCode() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(
            .json(Self.codes), Self.error("authorization_pending"), Self.error("slow_down"),
            Self.error("authorization_pending", status: 200), .json(TokenEndpoint.token))
        let screen = Screen()
        let task = try begin(endpoint, screen, scopes: ["tv"])
        for seconds in [5, 5, 10, 10] { await wait(seconds, on: endpoint.clock) }

        #expect(try await task.value.value == "first")
        let requests = endpoint.server.requests
        #expect(requests.map(\.path) == ["/device", "/token", "/token", "/token", "/token"])
        let forms = requests.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(forms[0] == "scope=tv&client_id=tv")
        let form =
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=d-12345678&client_id=tv"
        #expect(forms.dropFirst().allSatisfy { $0 == form })
        let shown = try #require(screen.all.first)
        #expect(screen.all.count == 1)
        #expect(shown.userCode == "WDJB-MJHT")
        #expect(shown.verificationURL.absoluteString == "https://example.com/device")
        #expect(
            shown.completeVerificationURL?.absoluteString == "https://example.com/device?user_code=WDJB-MJHT")
        #expect(shown.lifetime == .seconds(1800))
    }

    @Test(arguments: ["access_denied", "expired_token", "invalid_grant"])
    func finalErrorEndsTheRequests(_ code: String) async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(Self.codes), Self.error(code))
        let task = try begin(endpoint)
        await wait(5, on: endpoint.clock)
        await #expect { try await task.value } throws: { OAuthError.Code(rawValue: code) ~= $0 }
    }

    @Test func codeThatIsNotEnteredExpires() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(
            .json(Self.codes.replacing("1800", with: "12")), Self.error("authorization_pending"),
            Self.error("authorization_pending"))
        let task = try begin(endpoint)
        await wait(5, on: endpoint.clock)
        await wait(5, on: endpoint.clock)
        await #expect { try await task.value } throws: { OAuthError.Code.expiredToken ~= $0 }
        #expect(endpoint.server.requests.count == 3)
    }

    @Test func cancellationEndsTheWait() async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(Self.codes))
        let task = try begin(endpoint)
        await endpoint.clock.sleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [
        "{}", #"{"device_code":"d"}"#, #"{"device_code":"d","user_code":"u"}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"javascript:alert(1)"}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"app://a/sign-in"}"#,
        #"{"device_code":"d","user_code":"u","verification_uri":"https://example.com@other.example/"}"#,
        #"{"device_code":"d","user_code":"u\u001b[2J","verification_uri":"https://a/"}"#,
        #"{"device_code":"d","user_code":"u\u202e","verification_uri":"https://a/"}"#,
        #"{"device_code":"d","user_code":"","verification_uri":"https://a/"}"#,
        #"{"user_code":"u","verification_uri":"https://a/"}"#, "<html>",
    ])
    func incompleteCodesAreRefused(_ body: String) async throws {
        let endpoint = try TokenEndpoint()
        endpoint.server.enqueue(.json(body))
        let screen = Screen()
        let task = try begin(endpoint, screen)
        await #expect { try await task.value } throws: { OAuthError.Code.badResponse ~= $0 }
        #expect(screen.all.isEmpty)
    }

    @Test func intervalHasADefaultAndBounds() throws {
        for (interval, expected) in [
            ("", 5), (#","interval":0"#, 1), (#","interval":"7""#, 7), (#","interval":1e9"#, 3600),
        ] {
            let body = #"{"device_code":"d","user_code":"u","verification_url":"https://a/"\#(interval)}"#
            let response = HTTPResponse(status: 200, body: Data(body.utf8))
            let codes = try TokenResponse(response, now: .now).deviceAuthorization(.standard)
            #expect(codes.interval == .seconds(expected))
            #expect(codes.lifetime == .seconds(600))
        }
    }

    @Test func paceFollowsTheFailures() {
        var polling = DevicePolling(interval: .seconds(5))
        let steps: [(TokenFailure, Bool, Int)] = [
            (.pending, true, 5), (.tooFast, true, 10), (.passing(wait: nil), true, 20), (.final, false, 20),
            (.invalidGrant, false, 20),
        ]
        for (failure, goesOn, interval) in steps {
            let result = polling.goesOn(after: failure)
            #expect(result == goesOn)
            #expect(polling.interval == .seconds(interval))
        }
    }
}
