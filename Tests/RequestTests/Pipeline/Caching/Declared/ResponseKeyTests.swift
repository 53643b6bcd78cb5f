import Foundation
import TangoAuth
import TangoCache
import Testing

@testable import TangoRequest
@testable import TestSupport

struct ResponseKeyTests {
    private static func key(_ change: (inout ResponseKey) -> Void = { _ in }) -> CacheKey {
        var key = ResponseKey(scope: Identity(nil).scope, method: .get, url: "https://h/users/1")
        change(&key)
        return key.key
    }

    @Test func keyResemblesTheRequest() {
        #expect(Self.key().text == "anyone GET https://h/users/1")
    }

    private static let changes: [@Sendable (inout ResponseKey) -> Void] = [
        { _ in }, { $0.scope = Identity("ada").scope }, { $0.scope = Identity("").scope },
        { $0.schema = 1 }, { $0.schema = -1 }, { $0.method = .head }, { $0.method = .post },
        { $0.url += "?a=1" }, { $0.negotiation = " accept-language=de" }, { $0.body = "ab" }, { $0.model = "ab" },
        { $0.custom = "own" }, { $0.custom = CacheKey(bytes: [0xff, 0x00]) }, { $0.custom = "" },
        {
            $0.custom = "own"
            $0.model = "ab"
        },
        {
            $0.custom = "own"
            $0.scope = Identity("ada").scope
        },
        {
            $0.custom = "own"
            $0.negotiation = " authorization=ab"
        },
    ]

    @Test func eachPartChangesTheKey() {
        let keys = Self.changes.map(Self.key)
        #expect(Set(keys).count == keys.count)
    }

    @Test func onlyKeysOfAUserBeginWithItsScope() {
        let users: [String?] = [nil, "", "ada", "ada2", "ad", "anyone", "anyone "]
        for user in users {
            let scope = CacheKey(Identity(user).scope)
            for other in users {
                let key = Self.key { $0.scope = Identity(other).scope }
                #expect(key.hasPrefix(scope) == (user == other), "\(user ?? "nil") and \(other ?? "nil")")
            }
        }
    }

    @Test func scopeDoesNotContainTheUser() {
        #expect(!Identity("ada@example.com").scope.contains("ada"))
    }

    @Test(
        arguments: [
            ([["Accept": "text/html, */*;q=0.1"], [:], [:]], " accept=text/html,*/*;q=0.1"),
            ([["accept-language": "DE"], [:], ["Range": "bytes=0-"]], " accept-language=de range=bytes=0-"),
            ([["Accept-Language": "de"], ["Accept-Language": "en"], [:]], " accept-language=en"),
            ([["Accept-Language": "de"], ["Accept-Language": "en"], ["accept-language": "fr"]], " accept-language=fr"),
            ([["X-Other": "1", "User-Agent": "a"], [:], [:]], ""), ([[:], [:], [:]], ""),
        ] as [([Headers], String)])
    func negotiationFieldsAreInTheKey(_ fields: [Headers], _ expected: String) {
        for hasIdentity in [false, true] {
            let text = ResponseKey.negotiation(in: fields[0], fields[1], fields[2], hasIdentity: hasIdentity)
            #expect(text == expected)
        }
    }

    @Test(arguments: ["Authorization", "cookie"])
    func keyContainsADigestOfCredentialsUnlessThereIsAnIdentity(_ name: String) {
        func text(_ value: String, _ hasIdentity: Bool) -> String {
            ResponseKey.negotiation(in: [:], Headers([(name, value)]), [:], hasIdentity: hasIdentity)
        }
        #expect(text("Bearer one", false) != text("Bearer two", false))
        #expect(!text("Bearer one", false).contains("one"))
        #expect(text("Bearer one", true).isEmpty)
        let all = Headers([(name, "one"), ("Accept-Language", "de")])
        #expect(ResponseKey.negotiation(in: all, [:], [:], hasIdentity: true, isNamed: true).isEmpty)
        let named = ResponseKey.negotiation(in: all, [:], [:], hasIdentity: false, isNamed: true)
        #expect(named == text("one", false))
    }

    @Test func differentTrustRulesHaveDifferentDigests() {
        func certificate(_ byte: UInt8) -> ServerTrust {
            .clientCertificate(pkcs12: .data(Data([byte])), passphrase: "a")
        }
        let rules: [ServerTrust] = [
            certificate(1), certificate(2), .clientCertificate(.file("a"), key: .file("b")), .developmentHost("h"),
            .authorities([.file("a")]), .authorities([.file("a")], besidesSystem: true), .minimumTLS(.v1_3),
            certificate(1) + .minimumTLS(.v1_3),
        ]
        #expect(Set(rules.map { $0.digest(for: "h") }).count == rules.count)
        #expect(rules.allSatisfy { $0.digest(for: "h") != nil })
        #expect(ServerTrust.system.digest(for: "h") == nil)
        #expect(ServerTrust.developmentHost("other").digest(for: "h") == nil)
        #expect(ServerTrust.hosts(["h": certificate(1)]).digest(for: "h") == certificate(1).digest(for: "other"))
    }

    @Test func equivalentJSONBodiesHaveTheSameDigest() throws {
        let one = ResponseKey.digest(of: .data(Data(#"{"a":1,"b":[true,null]}"#.utf8), contentType: "application/json"))
        let two = ResponseKey.digest(
            of: .data(Data(#"{ "b":[true,null], "a":1}"#.utf8), contentType: "application/json"))
        let three = ResponseKey.digest(
            of: .data(Data(#"{"a":2,"b":[true,null]}"#.utf8), contentType: "application/json"))
        let text = ResponseKey.digest(of: .data(Data(#"{ "b":[true,null], "a":1}"#.utf8), contentType: "text/plain"))
        #expect(one == two)
        #expect(one != three)
        #expect(one != text)
    }

    @Test func numbersTooLongForADoubleHaveDifferentDigests() {
        let one = ResponseKey.digest(of: .data(Data("[12345678901234567890]".utf8), contentType: "application/json"))
        let two = ResponseKey.digest(of: .data(Data("[12345678901234567891]".utf8), contentType: "application/json"))
        #expect(one != two)
    }

    @Test func bodyReadDuringSendingHasNoDigest() {
        #expect(ResponseKey.digest(of: .file(URL(fileURLWithPath: "/dev/null"))) == nil)
        #expect(ResponseKey.digest(of: .stream(Portions([Data("a".utf8)]))) == nil)
        #expect(ResponseKey.digest(of: .none) == "")
    }

    @Test(
        arguments: [
            ("HTTPS://H:443/a/../b?q=%7e#f", "https://h/a/../b?q=~"), ("http://h", "http://h/"),
        ])
    func theURLIsNormalised(_ url: String, _ expected: String) throws {
        #expect(ResponseKey.plainURL(try #require(URL(string: url))) == expected)
    }

    @Test func aPasswordInAURLIsNotInTheKey() throws {
        let one = ResponseKey.plainURL(try #require(URL(string: "https://ada:secret@h/a")))
        let two = ResponseKey.plainURL(try #require(URL(string: "https://ada:other@h/a")))
        #expect(one != two)
        #expect(!one.contains("secret"))
        #expect(one.hasSuffix("@h/a"))
    }
}
