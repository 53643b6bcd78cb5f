import Foundation
import TangoCookies
import Testing

@testable import TangoRequest
@testable import TangoURLSession
@testable import TestSupport

/// Conversions between values of `URLSession` and of this library.
@Suite struct SessionValuesTests {
    // MARK: Fields

    private func fields(
        _ headers: Headers, _ method: HTTPMethod = .get, type: String? = nil, _ length: SessionFields.Length = .none,
        decodes: Bool = true, suppresses: Bool = true
    ) -> [String: String] {
        let made = SessionFields(
            headers, method: method, contentType: type, length: length, decodes: decodes, suppresses: suppresses)
        return Dictionary(uniqueKeysWithValues: made.fields.map { ($0.name, $0.value) })
    }

    @Test func fieldsWithTheSameNameAreJoined() {
        let made = fields(
            ["X": "1", "x": "2", "Cookie": "a=1", "cookie": "b=2", "Y": " \t"], suppresses: false)
        #expect(made == ["X": "1, 2", "Cookie": "a=1; b=2", "Y": ""])
    }

    @Test func defaultFieldsOfURLSessionAreSuppressed() {
        let made = fields(["accept": "a/b"])
        #expect(made == ["accept": "a/b", "User-Agent": " ", "Accept-Language": " ", "Connection": " ", "Expect": " "])
        #expect(fields([:], suppresses: false).isEmpty)
    }

    @Test("the body sets the length, not the headers of the request", arguments: [true, false])
    func framing(_ suppresses: Bool) {
        let lies: Headers = ["Content-Length": "77", "Transfer-Encoding": "chunked"]
        let known = fields(lies, .put, .known(3), suppresses: suppresses)
        #expect(known["Content-Length"] == "3")
        #expect(known["Transfer-Encoding"] == (suppresses ? " " : nil))
        #expect(fields(lies, .post, .unknown, suppresses: suppresses)["Content-Length"] == nil)
        #expect(fields(lies, .post, suppresses: suppresses)["Content-Length"] == "0")
        #expect(fields(lies, .delete, suppresses: suppresses)["Content-Length"] == (suppresses ? " " : nil))
        #expect(fields(lies, .get, suppresses: suppresses)["Content-Length"] == nil)
    }

    @Test func acceptEncodingFollowsTheDecoding() {
        #expect(fields([:])["Accept-Encoding"] == nil)
        #expect(fields([:], decodes: false)["Accept-Encoding"] == " ")
        #expect(fields([:], decodes: false, suppresses: false)["Accept-Encoding"] == "identity")
        #expect(fields(["accept-encoding": "identity"], decodes: false)["accept-encoding"] == "identity")
    }

    // MARK: Cookies

    static let cookies: [(String, [String])] = [
        ("a=1", ["a=1"]), ("", [""]), ("a=1, b=2", ["a=1", "b=2"]), ("a=1,b=2", ["a=1,b=2"]),
        (
            "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/, __Host-b=x=y; Secure",
            ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Path=/", "__Host-b=x=y; Secure"]
        ),
        (
            "a=1; Expires=Wednesday, 09-Jun-27 10:18:14 GMT, b=",
            ["a=1; Expires=Wednesday, 09-Jun-27 10:18:14 GMT", "b="]
        ),
        ("a=\"x, y\"; Path=/", ["a=\"x, y\"; Path=/"]), ("a=1, , b=2", ["a=1, ", "b=2"]), ("a=1, =2", ["a=1, =2"]),
        ("a=é, b=ü", ["a=é", "b=ü"]),
    ]

    @Test("joined Set-Cookie fields are separated", arguments: cookies)
    func separatesCookies(_ value: String, _ fields: [String]) {
        #expect(CombinedCookies.separate(value) == fields)
        let head = SessionHead(status: 200, fields: ["set-cookie": value, "A": "1, 2"])
        #expect(head.headers.all("Set-Cookie") == fields)
        #expect(head.headers.all("A") == ["1, 2"])
    }

    // MARK: Refusals

    @Test func requestsThatURLSessionWouldChangeAreRefused() throws {
        let rules = SessionRefusal(
            reserved: ["host"], capitalized: ["GET"], removesDots: true, isProxyInEnvironment: true,
            survivesTrailers: false)
        func refusal(
            _ method: HTTPMethod = .get, _ path: String = "/", _ headers: Headers = [:], _ proxy: Proxy = .environment
        ) throws -> RequestError? {
            let url = try #require(URL(string: "http://h\(path)"))
            return rules.refusal(of: HTTPRequest(method: method, url: url, headers: headers), proxy: proxy)
        }
        let refused = try [
            refusal("get"), refusal(.get, "/a/../b"), refusal(.get, "/."), refusal(.get, "/", ["HOST": "x"]),
            refusal(.get, "/", ["Accept-Encoding": "gzip"]), refusal(.get, "/", ["te": "Trailers"]),
            refusal(.get, "/", [:], .direct), refusal(.get, "/", [:], .http(host: "p", port: 1)),
        ]
        for error in refused {
            #expect(error?.code == .unsupported)
            #expect(error?.phase == .prepare)
            #expect(error?.request != nil)
        }
        #expect(try refusal("Report", "/a.b/..c", ["Accept-Encoding": "Identity", "TE": "gzip"]) == nil)
        let able = SessionRefusal(takesProxies: true)
        let request = HTTPRequest(url: try #require(URL(string: "http://h/a/./b")), headers: ["TE": "trailers"])
        #expect(able.refusal(of: request, proxy: .http(host: "p", port: 1)) == nil)
        #expect(able.refusal(of: request, proxy: .direct) == nil)
    }

    // MARK: Trust

    static let findings: [(Int, TrustFailure)] = [
        (-67818, .expired), (-67819, .notYetValid), (-67820, .revoked), (-67821, .revoked), (-67602, .wrongHost),
        (-67843, .unknownAuthority), (-67609, .badCertificate), (-67901, .badCertificate), (0, .unknownAuthority),
    ]

    @Test("certificate errors of the system become trust failures", arguments: findings)
    func namesFindings(_ status: Int, _ failure: TrustFailure) {
        #expect(SessionTrustCause(status: status).failure == failure)
    }

    static let tasks: [(Int, String, TrustFailure?)] = [
        (-1, "SSL certificate problem: self-signed certificate", .selfSigned),
        (-1, "SSL certificate problem: self-signed certificate in certificate chain", .unknownAuthority),
        (-1, "SSL certificate problem: unable to get local issuer certificate", .unknownAuthority),
        (-1, "SSL certificate problem: certificate has expired", .expired),
        (-1, "SSL certificate problem: certificate is not yet valid", .notYetValid),
        (-1, "SSL certificate problem: EE certificate key too weak", .badCertificate),
        (-1, "SSL: no alternative certificate subject name matches target host name 'a'", .wrongHost),
        (-1, "error:0A00042E:SSL routines::tlsv1 alert protocol version", .tlsVersion),
        (-1, "error:0A00010B:SSL routines::wrong version number", .notTLS),
        (-1, "error:0A000415:SSL routines::sslv3 alert certificate expired", .handshake),
        (-1, "SSL certificate problem: certificate revoked", .revoked),
        (-1, "error:0A00045C:SSL routines::tlsv13 alert certificate required", .clientCertificateWanted),
        (-1, "SSL connect error", .handshake), (-1, "transfer closed with 5 bytes remaining to read", nil),
        (-1200, "An SSL error has occurred", .handshake), (-1201, "", .expired), (-1202, "", .unknownAuthority),
        (-1203, "", .unknownAuthority), (-1204, "", .notYetValid), (-1205, "", .clientCertificateRefused),
        (-1206, "", .clientCertificateWanted), (-1004, "", nil),
    ]

    @Test("trust errors of a task become trust failures", arguments: tasks)
    func namesRules(_ number: Int, _ message: String, _ failure: TrustFailure?) {
        #expect(SessionTrustCause(number: number, message: message).failureOfTask == failure)
    }

    @Test func keysInPEMCanBeRefused() throws {
        let request = HTTPRequest(url: try #require(URL(string: "https://h/")))
        let pair = ServerTrust.clientCertificate(.pem("c"), key: .pem("k")).rules(for: "h")
        let file = ServerTrust.clientCertificate(pkcs12: .pem("c"), passphrase: "p").rules(for: "h")
        let rules = SessionRefusal(takesProxies: true, takesKeysOfPEM: false)
        #expect(rules.refusal(of: request, proxy: .direct, rules: pair)?.detail.contains("PKCS #12") == true)
        #expect(rules.refusal(of: request, proxy: .direct, rules: file) == nil)
        #expect(SessionRefusal(takesProxies: true).refusal(of: request, proxy: .direct, rules: pair) == nil)
    }

    #if canImport(Darwin) || URLSessionOnLinux
        // MARK: Causes

        static let problems: [(Int, String, Bool, RequestError.Code)] = [
            (-1, "transfer closed with 500 bytes remaining to read", true, .truncated),
            (-1, "transfer closed with outstanding read data remaining", true, .truncated),
            (-1, "Recv failure: Connection reset by peer", false, .connectionLost),
            (-1, "Failed writing header", false, .badResponse),
            (-1, "SSL certificate problem: self-signed certificate", false, .untrusted),
            (-1, "SSL connect error", false, .tlsFailed),
            (-1, "Error while processing content unencoding: invalid block type", true, .badEncoding),
            (-1, "Out of memory", false, .badResponse), (-1, "Out of memory", true, .outOfResources),
            (-1, "something new", true, .transportFailed), (-1000, "", false, .badURL),
            (-1002, "unsupported URL", false, .unsupported),
            (-1002, "Unsupported HTTP version in response", false, .badResponse), (-1003, "", false, .hostNotFound),
            (-1004, "", false, .cannotConnect), (-1009, "", false, .offline), (-1018, "", false, .offline),
            (-1020, "", false, .offline), (-1005, "", true, .connectionLost),
            (-1011, "Empty reply from server", false, .connectionLost), (-1011, "bad", false, .badResponse),
            (-1202, "", false, .untrusted), (-1200, "", false, .tlsFailed), (-1001, "", false, .connectTimedOut),
            (-1016, "", true, .badEncoding), (307, "", false, .proxyAuthenticationRequired),
            (306, "", false, .proxyFailed), (310, "", false, .proxyFailed), (311, "", false, .proxyFailed),
            (310, "status 407", false, .proxyAuthenticationRequired), (122, "", false, .proxyAuthenticationRequired),
            (124, "", false, .proxyAuthenticationRequired), (113, "", false, .proxyFailed),
        ]

        @Test("errors of the system become error codes", arguments: problems)
        func namesProblems(_ number: Int, _ message: String, _ hasHead: Bool, _ code: RequestError.Code) {
            #expect(SessionCause(number: number, message: message, hasHead: hasHead).code == code)
        }

        // MARK: Deadlines

        @Test func deadlinesStartAtTheLastKnownEvent() {
            let second: Int64 = 1_000_000_000
            let timeouts = Timeouts(connect: .seconds(10), idle: .seconds(1), total: nil)
            func deadline(
                _ timeouts: Timeouts, hasBody: Bool = false, _ change: (inout SessionTransfer.State) -> Void = { _ in }
            ) -> (Int64, RequestError.Code) {
                var state = SessionTransfer.State(core: SessionCore(.init())) { _ in }
                state.lastActivity = 5 * second
                state.isAdmitted = true
                change(&state)
                let deadline = TransferDeadline(
                    whole: state.wholeDeadline, state.deadlinePart(hasBody: hasBody), timeouts)
                return (deadline.time, deadline.code)
            }
            #expect(deadline(timeouts) == (16 * second, .idleTimedOut))
            #expect(deadline(timeouts, hasBody: true) == (15 * second, .connectTimedOut))
            #expect(deadline(timeouts) { $0.isConnected = true } == (6 * second, .idleTimedOut))
            #expect(deadline(timeouts) { $0.wholeDeadline = 9 * second } == (9 * second, .totalTimedOut))
            #expect(deadline(timeouts) { $0.isAdmitted = false }.0 == .max)
            #expect(deadline(timeouts) { $0.feed.isHeld = true }.0 == .max)
            #expect(deadline(timeouts) { $0.isBodyAwaited = true }.0 == .max)
            #expect(deadline(.none).0 == .max)
            #expect(deadline(Timeouts(connect: .seconds(1), idle: nil)).0 == .max)
            #expect(deadline(Timeouts(connect: .seconds(Int64.max), idle: .seconds(1))).0 == .max)
        }
    #endif
}
