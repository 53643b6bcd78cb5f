import TangoCache
import Testing

@testable import RedisStore

/// The values of the store. These tests need no server.
@Suite struct ValueTests {
    @Test(arguments: [
        ("redis://cache", RedisConfiguration.Address.host("cache", port: 6_379), 0),
        ("redis://cache:7000/12", .host("cache", port: 7_000), 12),
        ("REDIS://user:word@cache/", .host("cache", port: 6_379), 0),
        ("unix:///run/redis.sock", .socket(path: "/run/redis.sock"), 0),
    ])
    func addressIsParsed(_ url: String, _ address: RedisConfiguration.Address, _ database: Int) throws {
        let configuration = try RedisConfiguration(url)
        #expect(configuration.address == address)
        #expect(configuration.database == database)
    }

    @Test(arguments: [
        "", "cache", "http://cache", "rediss://cache", "redis://", "redis://cache/x", "redis://cache/-1", "unix:",
    ])
    func addressIsRejected(_ url: String) {
        let error = #expect(throws: CacheError.self) { try RedisConfiguration(url) }
        #expect(error?.code == .invalid)
    }

    @Test func descriptionHasNoSecrets() throws {
        var configuration = try RedisConfiguration("redis://user:hidden@cache")
        configuration.keySecret = "hidden hidden hidden"
        for text in [
            "\(configuration)", String(reflecting: configuration),
            "\(Mirror(reflecting: configuration).children.map(\.value))",
        ] {
            #expect(!text.contains("hidden"))
        }
        #expect(configuration.username == "user")
        #expect(configuration.password == "hidden")
    }

    @Test func equalPrefixesOfNamesStayEqualAndNoMore() {
        let cipher = NameCipher(secret: "a secret of the fleet")
        let one = Array("https://example.com/users/1".utf8)
        let other = Array("https://example.com/users/2".utf8)
        #expect(cipher.decipher(cipher.encipher(one)) == one)
        #expect(cipher.encipher(one).prefix(26) == cipher.encipher(other).prefix(26))
        #expect(cipher.encipher(one)[26] != cipher.encipher(other)[26])
        #expect(cipher.encipher(one) != one)
        #expect(NameCipher(secret: "another secret!!!").encipher(one) != cipher.encipher(one))
        // Each byte is permuted.
        #expect(Set((UInt8.min...UInt8.max).map { cipher.encipher([7, $0]) }).count == 256)
    }

    @Test func pausesBetweenAttemptsGrowToTwoSeconds() {
        var backoff = Backoff()
        let pauses = (0..<9).map { _ in backoff.next(random: 1) }
        #expect(pauses == [20, 40, 80, 160, 320, 640, 1_280, 2_000, 2_000].map { .milliseconds($0) })
        backoff.reset()
        #expect(backoff.next(random: 0) == .milliseconds(10))
    }

    @Test func tooManyOwedRemovalsBecomeTheRemovalOfEverything() {
        var owed = Owed()
        for number in 0...Owed.limit { owed.add(.key(CacheKey("\(number)"))) }
        #expect(Array(owed.removals) == [.all])
        owed.add(.key("a"))
        #expect(owed.count == 1)
        #expect(owed.hides("b", tags: []))
    }

    @Test(arguments: [
        (Removal.key("a/1"), [Removal.key("a/1")]), (.tag([116]), [.tag([116])]),
        (.prefix("a/"), [.key("a/1"), .key("a/2"), .prefix("a/b")]),
        (.all, [.key("a/1"), .key("a/2"), .key("b"), .prefix("a/b"), .tag([116])]),
    ])
    func aRemovalPaysForThoseThatItIncludes(_ removal: Removal, _ paid: [Removal]) {
        let all: [Removal] = [.key("a/1"), .key("a/2"), .key("b"), .prefix("a/b"), .tag([116])]
        var owed = Owed()
        for removal in all { owed.add(removal) }
        owed.pay(removal, sentAt: owed.mark)
        #expect(Set(owed.removals) == Set(all).subtracting(paid))
    }

    @Test func aRemovalDoesNotPayForOneThatFailedAfterItWasSent() {
        var owed = Owed()
        owed.add(.key("a"))
        let mark = owed.mark
        // The same removal fails again, perhaps after the entry was stored again.
        owed.add(.key("a"))
        owed.pay(.key("a"), sentAt: mark)
        #expect(owed.count == 1)
        owed.pay(.key("a"), sentAt: owed.mark)
        #expect(owed.isEmpty)
    }

    @Test func rangeOfAPrefixEndsBeforeTheNextName() {
        #expect(IndexRange(prefix: [97]).start == Array("[ka".utf8))
        #expect(IndexRange(prefix: [97]).end == Array("(kb".utf8))
        #expect(IndexRange(prefix: [97, 255, 255]).end == Array("(kb".utf8))
        #expect(IndexRange(prefix: []).end == Array("(l".utf8))
    }
}
