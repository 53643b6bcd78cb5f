import CacheTool
import Foundation
import RedisStore
import Testing

@testable import RedisTool

/// The addresses that the tool takes. These tests need no server.
@Suite struct RedisPlaceTests {
    private struct NoFile: Error {}

    /// An environment and files, without those of the process.
    private static let sources = RedisPlace.Sources(
        variable: { ["TANGO_REDIS_PASSWORD": "from the variable", "TANGO_REDIS_KEY_SECRET": ""][$0] },
        file: { path in
            guard let text = ["/secret": "hidden hidden hidden\n", "/empty": "\n", "/crlf": "two\r\n"][path] else {
                throw NoFile()
            }
            return Data(text.utf8)
        })

    @Test(arguments: [
        ("redis://cache", "cache:6379/0, prefix tango, version 0"),
        ("redis://cache:7000/12?prefix=app", "cache:7000/12, prefix app, version 0"),
        ("redis://user@cache/0?version=3&prefix=a%2Fb", "cache:6379/0, prefix a/b, version 3"),
        ("redis://cache?", "cache:6379/0, prefix tango, version 0"),
        ("unix:///run/redis.sock?prefix=app", "/run/redis.sock, prefix app, version 0"),
    ])
    func addressIsParsed(_ text: String, _ description: String) throws {
        let configuration = try RedisPlace(text, Self.sources).configuration
        #expect("\(configuration)" == "RedisConfiguration(\(description))")
        #expect(configuration.password == "from the variable")
        #expect(configuration.keySecret == nil)
    }

    @Test(
        arguments: [
            ("redis://cache?password-file=/secret", "hidden hidden hidden", nil),
            ("redis://cache?password-file=/crlf", "two", nil),
            ("redis://cache?password-file=/empty&key-secret-file=/secret", nil, "hidden hidden hidden"),
        ] as [(String, String?, String?)])
    func secretsComeFromFiles(_ text: String, _ password: String?, _ keySecret: String?) throws {
        let configuration = try RedisPlace(text, Self.sources).configuration
        #expect(configuration.password == password)
        #expect(configuration.keySecret == keySecret)
    }

    @Test func userIsReadFromTheAddress() throws {
        #expect(try RedisPlace("redis://user@cache", Self.sources).configuration.username == "user")
        #expect(try RedisPlace("redis://cache", Self.sources).configuration.username == nil)
    }

    @Test(arguments: [
        ("redis://user:hidden@cache", "the address contains a password"),
        ("redis://:hidden@cache", "the address contains a password"),
        ("redis://user:hid/den@cache", "the address contains a password"),
        ("redis://user:hidden@cache:port?prefix=app", "the address contains a password"),
        ("redis://user:hidden@cache/?a=b", "the address contains a password"),
        ("redis://cache?password=hidden", "the address has an unknown parameter"),
        ("redis://cache?hidden", "has no value"),
        ("redis://cache?prefix=", "has no value"),
        ("redis://cache?version=hidden", "version takes a number"),
        ("redis://cache/hidden", "is not a database"),
        ("redis://cache:hidden", "the address is not a URL"),
        ("rediss://hidden", "TLS is not supported"),
        ("redis://", "has no host"),
        ("unix://", "path of the socket"),
        ("redis://cache?password-file=/nowhere", "the file /nowhere cannot be read"),
        ("redis://cache?key-secret-file=/crlf", "keySecret has fewer than 16 bytes"),
        ("redis://cache?prefix=a%00", "prefix is empty or has a zero"),
    ])
    func wrongAddressIsExplainedWithoutRepeatingIt(_ text: String, _ message: String) {
        let error = #expect(throws: UsageError.self) { try RedisPlace(text, Self.sources) }
        let description = "\(error.map { "\($0)" } ?? "")"
        #expect(description.contains(message))
        #expect(!description.contains("hid"))
        #expect(!description.contains("from the variable"))
    }

    @Test(arguments: [
        ("redis://cache", true), ("REDIS://cache", true), ("rediss://cache", true), ("unix:///a", true),
        ("Caches/api", false), ("redis", false), ("/redis://", false), ("", false),
    ])
    func addressesDifferFromFolders(_ text: String, _ isAddress: Bool) {
        #expect(RedisPlace.isAddress(text) == isAddress)
    }
}
