import Foundation
import TangoRequest
import Testing

@Suite struct RedactionTests {
    @Test(arguments: [
        "Authorization", "authorization", "PROXY-AUTHORIZATION", "Cookie", "Set-Cookie", "X-Api-Key", "x-auth-token",
        "X-Amz-Security-Token", "X-CSRF-Token", "Ocp-Apim-Subscription-Key", "Client-Secret", "X-ApiKey",
        "Proxy-Authentication-Info",
    ])
    func headersWithCredentialsAreHidden(_ name: String) {
        #expect(Redaction.standard.hides(header: name))
        #expect(Redaction.standard.redact("secret", ofHeader: name) == "…")
    }

    @Test(arguments: [
        "Accept", "Content-Type", "ETag", "Idempotency-Key", "X-Request-Id", "Sec-WebSocket-Key", "Author", "Tokenizer",
        "WWW-Authenticate", "",
    ])
    func otherHeadersAreShown(_ name: String) {
        #expect(!Redaction.standard.hides(header: name))
        #expect(Redaction.standard.redact("value", ofHeader: name) == "value")
    }

    @Test(arguments: [
        "token", "access_token", "accessToken", "accesstoken", "ACCESS_TOKEN", "refresh-token", "id_token", "key",
        "apikey", "api_key", "apiKey", "APIKey", "password", "user[password]", "client_secret", "clientSecret",
        "X-Amz-Signature", "X-Amz-Credential", "sig", "code", "jwt", "session_id", "sessionid",
    ])
    func queryItemsWithCredentialsAreHidden(_ name: String) {
        #expect(Redaction.standard.hides(queryItem: name))
    }

    @Test(arguments: ["id", "page", "keyword", "monkey", "q", "tokens_used", "passwordless", "encode", "design", ""])
    func otherQueryItemsAreShown(_ name: String) {
        #expect(!Redaction.standard.hides(queryItem: name))
    }

    @Test(arguments: [
        ("https://example.com", "https://example.com"),
        ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
        ("https://ada@example.com/", "https://…@example.com/"),
        ("https://ada:pass@example.com:80/a@b", "https://…@example.com:80/a@b"),
        ("https://example.com/a@b?c=d@e", "https://example.com/a@b?c=d@e"),
        ("https://example.com?token=a", "https://example.com?token=…"),
        ("https://example.com/?a=1&token=x&token=y&b", "https://example.com/?a=1&token=…&token=…&b"),
        ("https://example.com/?token", "https://example.com/?token"),
        ("https://example.com/?token=", "https://example.com/?token=…"),
        ("https://example.com/?token=a=b", "https://example.com/?token=…"),
        ("https://example.com/?access%5Ftoken=a", "https://example.com/?access%5Ftoken=…"),
        ("https://example.com/?%74oken=a&b", "https://example.com/?%74oken=…&b"),
        ("https://example.com/?x=1#access_token=a&state=b", "https://example.com/?x=1#access_token=…&state=…"),
        ("/path?token=a", "/path?token=…"),
        ("?token=a", "?token=…"),
        ("//ada:pass@host/", "//…@host/"),
        ("file:///a/b", "file:///a/b"),
    ])
    func aURLLosesItsSecrets(_ text: String, _ expected: String) throws {
        let url = try #require(URL(string: text))
        #expect(Redaction.standard.redact(url) == expected)
    }

    @Test(arguments: [
        ("", ""), ("no address", "no address"), ("://", "://"), ("a://", "a://"),
        ("http://h/?%74oken=a&%4=b&%=c", "http://h/?%74oken=…&%4=b&%=c"),
        (
            "see <https://u:p@h/?token=a> and 'http://h/?sig=b', please",
            "see <https://…@h/?token=…> and 'http://h/?sig=…', please"
        ),
        ("Key=http://h/?token=a, Other=1", "Key=http://h/?token=… Other=1"),
    ])
    func aTextLosesTheSecretsOfItsURLs(_ text: String, _ expected: String) {
        #expect(Redaction.standard.redact(text: text) == expected)
    }

    @Test func headersKeepTheirOrderAndNames() {
        let headers: Headers = ["b": "1", "Cookie": "x", "a": "2", "cookie": "y"]
        #expect(Redaction.standard.redact(headers) == ["b": "1", "Cookie": "…", "a": "2", "cookie": "…"])
        #expect(Redaction.standard.redact(["Location": "/?a=1&sig=2"])["location"] == "/?a=1&sig=…")
    }

    @Test func namesCanBeAddedAndLeftOut() throws {
        var redaction = Redaction(headers: ["X-Tenant"])
        #expect(redaction.hides(header: "x-tenant"))
        #expect(!redaction.hides(header: "Cookie"))
        #expect(!redaction.hides(queryItem: "token"))
        redaction.add(queryItems: ["invitation code"])
        #expect(redaction.hides(queryItem: "invitationCode"))
        #expect(redaction.hides(queryItem: "INVITATION_CODE"))
        #expect(!redaction.hides(queryItem: "code"))
        #expect(redaction == Redaction(headers: ["x tenant"], queryItems: ["invitation-code"]))
    }
}
