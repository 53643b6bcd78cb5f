import Foundation
import Testing

@testable import TangoCookies
@testable import TangoRequest
@testable import TestSupport

/// The parser of `Set-Cookie` and its dates.
@Suite struct SetCookieTests {
    static let now = Date(timeIntervalSince1970: 1_700_000_000)

    struct Row: CustomTestStringConvertible, Sendable {
        let field: String
        /// The parts that are not usual: `name=value`, then attributes. Nil if the field is ignored.
        let parsed: String?

        init(_ field: String, _ parsed: String?) {
            self.field = field
            self.parsed = parsed
        }

        var testDescription: String { String(field.prefix(60)).debugDescription }
    }

    private static func summary(_ field: String) -> String? {
        guard let cookie = SetCookie(field, at: now) else { return nil }
        var text = "\(cookie.name)=\(cookie.value)"
        if !cookie.domain.isEmpty { text += " domain \(cookie.domain)" }
        if cookie.hasPath { text += " path \(cookie.path ?? "default")" }
        if cookie.isSecure { text += " secure" }
        if cookie.isHTTPOnly { text += " httponly" }
        if let sameSite = cookie.sameSite { text += " \(sameSite)" }
        if let date = cookie.maxAge ?? cookie.expires {
            text += date == .distantPast ? " past" : " \(Int(date.timeIntervalSince(now)))"
        }
        return text
    }

    private static let long = String(repeating: "a", count: 4096)

    static let rows: [Row] = [
        Row("a=b", "a=b"), Row("a=", "a="), Row("=b", "=b"), Row("b", "=b"), Row("=", nil), Row("", nil), Row(";", nil),
        Row(" \t a \t = \t b \t ", "a=b"), Row("a=b=c", "a=b=c"), Row("=a=b", "=a=b"), Row("a b=c d", "a b=c d"),
        Row("a=\"b c\"", "a=\"b c\""), Row("a=\"b;c\"", "a=\"b"), Row("a=b,c=d", "a=b,c=d"), Row("a=b\tc", "a=b\tc"),
        Row("é=ü", "é=ü"), Row("a=b; ", "a=b"), Row("a=b;;;", "a=b"), Row(" ;Secure", nil),
        // Control characters reject the field, wherever they are.
        Row("a=b\u{0}", nil), Row("a=b; Path=/\u{1F}", nil), Row("a\u{7F}=b", nil), Row("a=b\r\nc", nil),
        // Lengths.
        Row("a=" + long.dropLast(), "a=" + long.dropLast()), Row("a=" + long, nil), Row(long, "=" + long),
        Row(long + "a", nil), Row(long + "=", long + "="),
        Row("a=b; Path=/" + long.prefix(1023), "a=b path /" + long.prefix(1023)),
        Row("a=b; Path=/" + long.prefix(1024), "a=b"), Row("a=b; Path=/c; Path=/" + long.prefix(1024), "a=b path /c"),
        // Attributes.
        Row("a=b; SECURE; hTTPoNLY", "a=b secure httponly"), Row("a=b;Secure=no", "a=b secure"),
        Row("a=b; secure ; path = /c ", "a=b path /c secure"), Row("a=b; Secured", "a=b"), Row("a=b; =Secure", "a=b"),
        Row("a=b; Domain=Example.COM", "a=b domain example.com"), Row("a=b; Domain=.c.d", "a=b domain c.d"),
        Row("a=b; Domain=..c.d", "a=b domain .c.d"), Row("a=b; Domain=c; Domain=", "a=b"),
        Row("a=b; Domain=c; Domain=d", "a=b domain d"), Row("a=b; Domain", "a=b"),
        Row("a=b; Path=/c; Path=d", "a=b path default"), Row("a=b; Path", "a=b path default"),
        Row("a=b; Path=/C/%63", "a=b path /C/%63"),
        Row("a=b; SameSite=lax", "a=b lax"), Row("a=b; SameSite=STRICT", "a=b strict"),
        Row("a=b; SameSite=None", "a=b none"), Row("a=b; SameSite=x", "a=b"), Row("a=b; SameSite=Lax; SameSite", "a=b"),
        // Ages.
        Row("a=b; Max-Age=60", "a=b 60"), Row("a=b; max-age=0", "a=b past"), Row("a=b; Max-Age=-1", "a=b past"),
        Row("a=b; Max-Age=", "a=b"), Row("a=b; Max-Age=-", "a=b"), Row("a=b; Max-Age=+1", "a=b"),
        Row("a=b; Max-Age=1.5", "a=b"), Row("a=b; Max-Age=1 0", "a=b"), Row("a=b; Max-Age=60; Max-Age=x", "a=b 60"),
        Row("a=b; Max-Age=60; Max-Age=70", "a=b 70"), Row("a=b; Max-Age=034560001", "a=b 34560000"),
        Row("a=b; Max-Age=" + String(repeating: "9", count: 400), "a=b 34560000"),
        Row("a=b; Max-Age=-" + String(repeating: "9", count: 400), "a=b past"),
        Row("a=b; Expires=Tue, 14 Nov 2023 22:13:21 GMT", "a=b 1"),
        Row("a=b; Expires=Tue, 14 Nov 2023 22:13:21 GMT; Max-Age=60", "a=b 60"),
        Row("a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "a=b 60"),
        Row("a=b; Expires=Tue, 14 Nov 2023 22:13:21 GMT; Expires=never", "a=b 1"),
        Row("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", "a=b 34560000"),
    ]

    @Test(arguments: rows)
    func fieldIsParsed(_ row: Row) {
        #expect(Self.summary(row.field) == row.parsed)
    }

    // MARK: Dates

    static let dates: [(String, String?)] = [
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Sunday, 06-Nov-94 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("1994 nov 6 8:49:37", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("8:49:37 6 NOVEMBER 94", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("6th/Nov/1994 08:49:37am", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("08:49:37x 6 Novx 1994", "Sun, 06 Nov 1994 08:49:37 GMT"),
        ("1 Jan 70 0:0:0", "Thu, 01 Jan 1970 00:00:00 GMT"), ("1 Jan 69 0:0:0", "Tue, 01 Jan 2069 00:00:00 GMT"),
        ("1 Jan 00 0:0:0", "Sat, 01 Jan 2000 00:00:00 GMT"), ("1 Jan 99 0:0:0", "Fri, 01 Jan 1999 00:00:00 GMT"),
        ("29 Feb 2024 0:0:0", "Thu, 29 Feb 2024 00:00:00 GMT"), ("29 Feb 2023 0:0:0", nil), ("31 Apr 2024 0:0:0", nil),
        // The first day counts, so that the next number is the year.
        ("1 Jan 2 2024 0:0:0", "Mon, 01 Jan 2024 00:00:00 GMT"),
        ("1 Jan 02 2024 0:0:0", "Tue, 01 Jan 2002 00:00:00 GMT"),
        ("0 Jan 2024 0:0:0", nil), ("32 Jan 2024 0:0:0", nil), ("1 Jan 1600 0:0:0", nil), ("1 Jan 12345 0:0:0", nil),
        ("1 Jan 2024 24:0:0", nil), ("1 Jan 2024 0:60:0", nil), ("1 Jan 2024 0:0:60", nil), ("1 Jan 2024 0:0", nil),
        ("1 Jan 2024 000:0:0", nil), ("1 Jan 2024 0:0:000", nil), ("1 Jan 0:0:0", nil), ("Jan 2024 0:0:0", nil),
        ("1 2024 0:0:0", nil), ("1 Ja 2024 0:0:0", nil), ("", nil), ("tomorrow", nil), ("\u{FF11} Jan 2024 0:0:0", nil),
    ]

    @Test(arguments: dates)
    func dateIsParsed(_ text: String, _ date: String?) {
        #expect(CookieDate.parse(text.utf8).map { HTTPDate.text($0.timeIntervalSince1970) } == date)
    }

    // MARK: Random bytes

    /// Returns a random field of the parts that the parser knows, mixed with random bytes.
    private static func field(_ random: inout SeededNumbers) -> String {
        let parts = [
            "=", ";", "; ", "a", "__Host-", "__Secure-", "Secure", "Path=", "/", "Domain=", "example.com", ".",
            "Max-Age=",
            "-", "99", "Expires=", "Sun, 06 Nov 1994 08:49:37 GMT", "SameSite=", "Lax", "\t", " ", "\"", "\u{0}", "ü",
            ",",
            String(repeating: "x", count: 500), ":", "HttpOnly", "\u{301}",
        ]
        let bytes = (0..<Int.random(in: 0...12, using: &random)).flatMap { _ -> [UInt8] in
            Int.random(in: 0..<4, using: &random) == 0
                ? (0..<Int.random(in: 0...6, using: &random)).map { _ in .random(in: 0...255, using: &random) }
                : Array(parts.randomElement(using: &random)?.utf8 ?? "".utf8)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func randomFieldsBreakNoRule() throws {
        var random = SeededNumbers(seed: 20_260)
        let urls = ["https://a.example.com/b/c", "http://example.com", "http://127.0.0.1/", "https://[::1]:8/x?y"]
            .compactMap(URL.init(string:))
        var jar = CookieJar(publicSuffixes: .list("com"))
        var count = 0
        let rounds = isLongRun ? 500_000 : 5000
        for round in 0..<rounds {
            // A full jar would make the test slow.
            if round.isMultiple(of: 16) { jar = CookieJar(publicSuffixes: .list("com")) }
            let url = urls[round % urls.count]
            let field = Self.field(&random)
            let decision = try #require(jar.decisions(about: [field], from: url, at: Self.now).first)
            guard case .store(let cookie) = decision else { continue }
            count += 1
            let host = try #require(CookieHost(url))
            #expect(host.matches(domain: cookie.domain))
            #expect(!cookie.isHostOnly || cookie.domain == host.name)
            #expect(cookie.name.utf8.count + cookie.value.utf8.count <= 4096)
            #expect(cookie.path.utf8.first == UInt8(ascii: "/"))
            #expect(cookie.expires.map { $0 <= Self.now.addingTimeInterval(400 * 86_400) } ?? true)
            #expect(host.isSecure || !cookie.isSecure)
            #expect(
                (cookie.name + cookie.value).utf8.allSatisfy { ($0 >= 0x20 || $0 == 9) && $0 != 0x7F && $0 != 0x3B })
            if let header = jar.cookieHeader(for: url, at: Self.now) {
                #expect(Headers([("Cookie", header)]).firstProblem == nil)
            }
            _ = NetscapeCookies.lines(field)
        }
        #expect(count > rounds / 10)
    }
}
