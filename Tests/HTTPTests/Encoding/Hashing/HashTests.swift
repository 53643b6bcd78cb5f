import Foundation
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

@Suite struct HashTests {
    /// The examples of RFC 1321 and of FIPS 180-4.
    static let vectors: [(hash: Hash, text: String, hex: String)] = [
        (.md5, "", "d41d8cd98f00b204e9800998ecf8427e"),
        (.md5, "message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        (.sha1, "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (.sha256, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            .sha512, "abc",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
        (.sha512_256, "abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (.sha512_256, "", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
    ]

    @Test(arguments: vectors)
    func digestsAreThoseOfTheStandards(_ row: (hash: Hash, text: String, hex: String)) throws {
        #expect(try row.hash.hex(row.text.utf8) == row.hex)
    }

    @Test(arguments: Hash.allCases)
    func portionsDoNotMatter(_ hash: Hash) throws {
        let bytes = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        var hashing = try Hashing(hash)
        for start in stride(from: 0, to: bytes.count, by: 37) { hashing.update(bytes[start...].prefix(37)) }
        #expect(try hashing.finish() == hash.digest(bytes))
    }

    @Test(arguments: Array(0...300)) func ownCodeEqualsTheLibrary(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        var own = SHA512_256()
        bytes.withUnsafeBytes { own.update($0) }
        #expect(own.finish() == (try Hash.sha512_256.digest(bytes)))
        #expect(SHA256.digest(bytes) == (try Hash.sha256.digest(bytes)))
    }

    /// The test cases 1, 2 and 6 of RFC 4231, and case 2 of RFC 2202.
    static let codes: [(hash: Hash, key: [UInt8], text: String, hex: String)] = [
        (
            .sha256, [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            .sha256, Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            .sha256, [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            .sha512, Array("Jefe".utf8), "what do ya want for nothing?",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fd"
                + "caeab1a34d4a6b4b636e070a38bce737"
        ),
        (.sha1, Array("Jefe".utf8), "what do ya want for nothing?", "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
    ]

    @Test(arguments: codes)
    func codesAreThoseOfTheStandards(_ row: (hash: Hash, key: [UInt8], text: String, hex: String)) throws {
        #expect(try HMAC.code(row.text.utf8, key: row.key, row.hash).hexadecimal == row.hex)
    }
}
