import Foundation
import TangoAuth
import TangoCookies
import TangoRequest
import Testing

@testable import TestSupport

@Suite struct RedactionTests {
    @Test(arguments: [
        "Authorization", "authorization", "PROXY-AUTHORIZATION", "Cookie", "Set-Cookie", "X-Api-Key", "x-auth-token",
        "X-Amz-Security-Token", "X-CSRF-Token", "Ocp-Apim-Subscription-Key", "Client-Secret", "X-ApiKey",
        "Proxy-Authentication-Info", "X-Functions-Key", "DD-Application-Key", "X-Parse-Master-Key", "X-Appwrite-Key",
        "X-Amzn-Oidc-Data", "JWTToken",
    ])
    func headersWithCredentialsAreRedacted(_ name: String) {
        #expect(Redaction.standard.hides(header: name))
        #expect(Redaction.standard.redact("secret", ofHeader: name) == "…")
    }

    @Test(arguments: [
        "Accept", "Content-Type", "ETag", "Idempotency-Key", "X-Request-Id", "Sec-WebSocket-Key", "Author", "Tokenizer",
        "WWW-Authenticate", "", "Access-Control-Allow-Credentials", "access-control-allow-credentials",
    ])
    func otherHeadersAreShown(_ name: String) {
        #expect(!Redaction.standard.hides(header: name))
        #expect(Redaction.standard.redact("value", ofHeader: name) == "value")
    }

    @Test(arguments: [
        "token", "access_token", "accessToken", "accesstoken", "ACCESS_TOKEN", "refresh-token", "id_token", "key",
        "apikey", "api_key", "apiKey", "APIKey", "password", "user[password]", "client_secret", "clientSecret",
        "X-Amz-Signature", "X-Amz-Credential", "sig", "code", "jwt", "session_id", "sessionid",
        "SAMLResponse", "state", "pass", "userPass",
    ])
    func queryItemsWithCredentialsAreRedacted(_ name: String) {
        #expect(Redaction.standard.hides(queryItem: name))
    }

    @Test(arguments: [
        "id", "page", "keyword", "monkey", "q", "tokens_used", "passwordless", "encode", "design", "", "country_code",
        "sort_key",
        "stateProvince", "URLs",
    ])
    func otherQueryItemsAreShown(_ name: String) {
        #expect(!Redaction.standard.hides(queryItem: name))
    }

    @Test(arguments: [
        "pass", "passcode", "totp", "mfa_code", "verification_code", "SAMLResponse", "userPass", "recovery_code",
        "refresh",
        "access", "pin", "hmac",
    ])
    func fieldsWithCredentialsAreRedacted(_ name: String) {
        #expect(Redaction.standard.hides(field: name))
    }

    @Test(arguments: [
        "access_level", "refreshRate", "lastAccess", "boardingPass", "code", "key", "state", "tokens", "closed_at",
    ])
    func otherFieldsAreShown(_ name: String) {
        #expect(!Redaction.standard.hides(field: name))
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
        // For some servers, semicolons separate items too. For others, they are part of a value.
        ("https://example.com/?a=1;token=x;b=2", "https://example.com/?a=1;token=…"),
        ("https://example.com/?a=1;token=x&b=2", "https://example.com/?a=1;token=…&b=2"),
        ("https://example.com/?token=x;y&a=1;b=2", "https://example.com/?token=…&a=1;b=2"),
        ("https://example.com/?a;%74oken=x", "https://example.com/?a;%74oken=…"),
        ("https://example.com/#a=1;access_token=x", "https://example.com/#a=1;access_token=…"),
        ("https://example.com/a;v=1/b;token=x/c?d=e", "https://example.com/a;v=1/b;token=…/c?d=e"),
        // A URL inside a URL.
        ("https://example.com/?next=https%3A%2F%2Fh%2F%3Ftoken%3Dx&a=1", "https://example.com/?next=…&a=1"),
        ("https://example.com/?next=https://h/?token=x", "https://example.com/?next=…"),
        ("https://example.com/?next=%2F%3Fpage%3D2&a=1", "https://example.com/?next=%2F%3Fpage%3D2&a=1"),
        ("https://example.com/https://ada:pass@host/a", "https://example.com/https://…@host/a"),
        ("https://example.com/a//ada@host", "https://example.com/a//ada@host"),
        ("file:///a/b", "file:///a/b"),
    ])
    func secretsInURLsAreRedacted(_ text: String, _ expected: String) throws {
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
        ("Key=http://h/?token=a, Other=1", "Key=http://h/?token=…, Other=1"),
        // Brackets, quotes and parentheses may stand in a URL, before a secret.
        ("http://h/?a[]=1&token=x is bad", "http://h/?a[]=1&token=… is bad"),
        ("http://h/?filter[name]=Ada&sig=x", "http://h/?filter[name]=Ada&sig=…"),
        ("http://h/it's?token=x", "http://h/it's?token=…"),
        ("http://h/?q='a'&token=x", "http://h/?q='a'&token=…"),
        ("http://h/a(1)?token=x", "http://h/a(1)?token=…"),
        ("http://[::1]:80/?token=x", "http://[::1]:80/?token=…"),
        ("http://ada:p'a)s]s@h/a", "http://…@h/a"),
        ("(see http://h/?a=(1)&token=x).", "(see http://h/?a=(1)&token=…)."),
        ("[http://h/?token=x], [http://h/b]", "[http://h/?token=…], [http://h/b]"),
        ("'http://h/?token=x','http://h/?token=y'", "'http://h/?token=…'"),
        ("http://h/?a=1;token=x;b", "http://h/?a=1;token=…"),
        // A path is redacted like a URL.
        ("no such file: /a/b?page=2&token=x", "no such file: /a/b?page=2&token=…"),
        ("</next?page=2&sig=x>; rel=next", "</next?page=2&sig=…>; rel=next"),
        ("Why? Because C# and ada@example.com", "Why? Because C# and ada@example.com"),
        // Only URLs are redacted in other texts.
        ("is it open?code=3; or closed?state=1", "is it open?code=3; or closed?state=1"),
        ("password=hunter2, token: abc, Basic YWRhOng=", "password=hunter2, token: abc, Basic YWRhOng="),
    ])
    func secretsInURLsOfTextsAreRedacted(_ text: String, _ expected: String) {
        #expect(Redaction.standard.redact(text: text) == expected)
    }

    @Test(arguments: [
        ("application/json", #"{"user":"ada","password":"x\"y"}"#, #"{"user":"ada","password":"…"}"#),
        // Values keep their type.
        ("application/json", #"{"pin": 1234, "a": [1, 2]}"#, #"{"pin": 0, "a": [1, 2]}"#),
        ("application/json", #"{"pin":-1.5e3,"a":1}"#, #"{"pin":0,"a":1}"#),
        ("application/json", #"{"pin":null,"token":true,"a":"b"}"#, #"{"pin":null,"token":true,"a":"b"}"#),
        (
            "application/json", #"{"tokens": 1, "token": {"a": ["x", {"b": "}"}]}, "c": 2}"#,
            #"{"tokens": 1, "token": {"a": ["…", {"b": "…"}]}, "c": 2}"#
        ),
        ("application/json", #"{"a": {"clientSecret": ["x", "y"]}}"#, #"{"a": {"clientSecret": ["…", "…"]}}"#),
        (
            "application/json", #"{"secrets": {"a": 1}, "secret": [{"a": 1, "b": []}], "a": 1}"#,
            #"{"secrets": {"a": 1}, "secret": [{"a": 0, "b": []}], "a": 1}"#
        ),
        ("application/json", #"{"t\u006fken": "x"}"#, #"{"t\u006fken": "…"}"#),
        ("application/json", #"{"next": "https://h/?token=x", "a": 1}"#, #"{"next": "https://h/?token=…", "a": 1}"#),
        ("application/json", #"{"next": "https:\/\/u:p@h\/a", "a": 1}"#, #"{"next": "https://…@h/a", "a": 1}"#),
        ("application/x-ndjson", "{\"token\":\"x\"}\n{\"a\":1}\n", "{\"token\":\"…\"}\n{\"a\":1}\n"),
        ("text/plain", #"[{"token": "x"}]"#, #"[{"token": "…"}]"#),
        // Cut off in the secret.
        ("application/json", #"{"a": 1, "token": "half of it"#, #"{"a": 1, "token": "…""#),
        ("application/json", #"{"a": 1, "token": {"b": "#, #"{"a": 1, "token": {"b": "#),
        ("application/problem+json", #"{"token": 1}"#, #"{"token": 0}"#),
        ("application/octet-stream", #"{"token": "x"}"#, #"{"token": "…"}"#),
        ("application/x-www-form-urlencoded", "user=ada&password=a%26b&x=1", "user=ada&password=…&x=1"),
        ("application/x-www-form-urlencoded", "code=1&user%5Bpassword%5D=x&a", "code=…&user%5Bpassword%5D=…&a"),
        ("application/x-www-form-urlencoded", "next=https%3A%2F%2Fh%2F%3Ftoken%3Dx", "next=…"),
        (
            "multipart/form-data; boundary=b",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nx\r\ny\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n…\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n"
        ),
        (
            "text/xml", "<a><w:Password id='1'>x</w:Password><b>1</b></a>",
            "<a><w:Password id='1'>…</w:Password><b>1</b></a>"
        ),
        ("text/plain; charset=utf-8", "token=x and more", "token=x and more"),
        ("text/plain", "", ""),
    ])
    func secretsInBodiesAreRedacted(_ type: String, _ body: String, _ expected: String) {
        #expect(Redaction.standard.text(of: Data(body.utf8), contentType: type) == expected)
    }

    @Test(
        arguments: [
            (Data([0x89, 0x50, 0x4E, 0x47, 0x00]), "application/octet-stream"), (Data("text".utf8), "image/png"),
            (Data([0xFF, 0xFE, 0xFD, 0xFC, 0xFB]), "text/plain"), (Data([0x41, 0x1B]), nil),
        ] as [(Data, String?)])
    func binaryBodiesHaveNoText(_ body: Data, _ type: String?) {
        #expect(Redaction.standard.text(of: body, contentType: type) == nil)
    }

    @Test func textMayEndInTheMiddleOfACharacter() {
        #expect(Redaction.standard.text(of: Data("caf\u{E9}".utf8).dropLast(), contentType: nil) == "caf")
        #expect(Redaction.standard.text(of: Data([0x63, 0xE9]), contentType: "text/plain; charset=latin1") == "c?")
    }

    @Test(arguments: [
        ("it was open/sesame 1!", "it was …!"),
        ("a=open%2Fsesame%201&b=open%2Fsesame+1&c=open%2fsesame%201", "a=…&b=…&c=…"),
        (#""open\/sesame 1""#, #""…""#),
        (Data("open/sesame 1".utf8).base64EncodedString(), "…"),
        // Whole words only.
        ("reopen/sesame 1, open/sesame 12, open/sesame 1_a", "reopen/sesame 1, open/sesame 12, open/sesame 1_a"),
        ("(open/sesame 1)-open/sesame 1.", "(…)-…."),
        // The end of an escape is not the beginning of a word.
        (#"wrong:\nopen/sesame 1"#, #"wrong:\n…"#), ("wrong%20open%2Fsesame%201", "wrong%20…"),
        (#"\u0027open/sesame 1\u0027"#, #"\u0027…\u0027"#),
        // Bytes are compared, not characters.
        ("open/sesame 1\u{301}", "…\u{301}"),
        // Short texts are found in other words.
        ("abcdefg", "abcdefg"),
    ])
    func secretsAreRedactedWhereverTheyOccur(_ text: String, _ expected: String) {
        var redaction = Redaction(headers: [])
        redaction.add(secrets: ["open/sesame 1", "abcdefg", ""])
        #expect(redaction.redact(text: text) == expected)
    }

    @Test func secretsWithOtherLettersAreFoundInJSON() {
        var redaction = Redaction(headers: [])
        redaction.add(secrets: ["p\u{E4}ss-w\u{F6}rt"])
        for body in [
            #"{"a": "p\u00e4ss-w\u00f6rt", "b": 1}"#, #"{"a": "p\u00E4ss-w\u00F6rt", "b": 1}"#,
            "{\"a\": \"päss-wört\", \"b\": 1}",
        ] {
            #expect(redaction.text(of: Data(body.utf8), contentType: "application/json") == #"{"a": "…", "b": 1}"#)
        }
    }

    @Test func knownNumberIsReplacedByANumber() {
        var redaction = Redaction(headers: [])
        redaction.add(secrets: ["31415926"])
        let body = Data(#"{"a": 31415926, "b": 131415926, "c": "31415926"}"#.utf8)
        #expect(redaction.text(of: body, contentType: nil) == #"{"a": 0, "b": 131415926, "c": "…"}"#)
    }

    @Test func secretsOfSettingsAreInNoDescription() throws {
        var redaction = Redaction(headers: [])
        redaction.add(secrets: ["open/sesame 1", "abc"])
        #expect(redaction.redact(["X": "open/sesame 1"]) == ["X": "…"])
        #expect(
            redaction.redact(try #require(URL(string: "https://h/a/open%2Fsesame%201/abc/abcd")))
                == "https://h/a/…/…/abcd")
        #expect(!"\(redaction)".contains("sesame"))
        var text = ""
        dump(redaction, to: &text)
        #expect(!text.contains("sesame"))
    }

    @Test func partsOfAFormAreRedactedByTheirTypes() {
        let form =
            "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a.json\"\r\n"
            + "Content-Type: application/json\r\n\r\n{\"token\": 1}\r\n--b\r\nContent-Disposition: form-data; name=\"c\"\r\n\r\n"
            + "token=x\r\n--b--\r\n"
        #expect(
            Redaction.standard.text(of: Data(form.utf8), contentType: "multipart/form-data; boundary=b")
                == form.replacing("{\"token\": 1}", with: "{\"token\": 0}"))
    }

    @Test func fieldsCanBeAdded() {
        var redaction = Redaction.standard
        redaction.add(fields: ["date of birth"])
        #expect(redaction.text(of: Data(#"{"dateOfBirth": "x"}"#.utf8), contentType: nil) == #"{"dateOfBirth": "…"}"#)
        #expect(redaction != .standard)
        #expect(Set([redaction, redaction]).count == 1)
    }

    @Test func redactedHeadersHaveTheSameOrderAndNames() {
        let headers: Headers = ["b": "1", "Cookie": "x", "a": "2", "cookie": "y"]
        #expect(Redaction.standard.redact(headers) == ["b": "1", "Cookie": "…", "a": "2", "cookie": "…"])
        #expect(Redaction.standard.redact(["Location": "/?a=1&sig=2"])["location"] == "/?a=1&sig=…")
    }

    @Test func namesCanBeAddedAndReplaced() throws {
        var redaction = Redaction(headers: ["X-Tenant"])
        #expect(redaction.hides(header: "x-tenant"))
        #expect(!redaction.hides(header: "Cookie"))
        #expect(!redaction.hides(queryItem: "token"))
        redaction.add(queryItems: ["invitation code"])
        #expect(redaction.hides(queryItem: "invitationCode"))
        #expect(redaction.hides(queryItem: "INVITATION_CODE"))
        #expect(!redaction.hides(queryItem: "code"))
        redaction.add(headers: ["access-control-allow-credentials"])
        #expect(redaction.hides(header: "Access-Control-Allow-Credentials"))
        redaction = Redaction(headers: ["X-Tenant"], queryItems: ["invitation code"])
        #expect(redaction == Redaction(headers: ["x tenant"], queryItems: ["invitation-code"]))
    }
}
