import Testing

@testable import TangoCache

/// Digests are in files of released versions, so each value here stays for ever.
@Suite struct DigestTests {
    @Test(arguments: pinned)
    func aDigestNeverChanges(_ length: Int, _ digest: UInt64) {
        #expect(Self.digest(Self.bytes(length)) == digest)
    }

    @Test func theDigestsOfAllShortLengthsNeverChange() {
        var all = Digest()
        for length in 0...200 { all.combine(Self.digest(Self.bytes(length))) }
        #expect(all.value == 0x7f85_1db7_4620_53fa)
    }

    @Test func seedsAndNumbersNeverChange() {
        var digest = Digest(seed: 7)
        digest.combine(42)
        #expect(digest.value == 0x877a_aabf_5407_05a6)
    }

    @Test(arguments: Array(1...70) + [95, 127, 128, 129, 191, 192, 193, 200])
    func eachFlippedBitChangesTheDigest(length: Int) {
        var bytes = Self.bytes(length)
        var seen: Set<UInt64> = [Self.digest(bytes)]
        for bit in 0..<length * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(seen.insert(Self.digest(bytes)).inserted)
            bytes[bit / 8] ^= 1 << (bit % 8)
        }
    }

    @Test(arguments: [0 as UInt8, 0xff])
    func theSameByteManyTimesIsAnotherDigestForEachLength(byte: UInt8) {
        let digests = (0...300).map { Self.digest(Array(repeating: byte, count: $0)) }
        #expect(Set(digests).count == 301)
    }

    @Test(arguments: 1...9)
    func aDigestDoesNotDependOnWhereBytesAre(offset: Int) {
        let bytes = Self.bytes(200)
        let moved = Array(repeating: 0xee, count: offset) + bytes
        #expect(moved.withUnsafeBytes { Digest.of(.init(rebasing: $0[offset...])) } == Self.digest(bytes))
    }

    @Test func noBytesAreNoBytesWithAnAddressOrWithoutOne() {
        let none = Digest.of(UnsafeRawBufferPointer(start: nil, count: 0))
        #expect([1 as UInt8].withUnsafeBytes { Digest.of(.init(rebasing: $0[..<0])) } == none)
        #expect(Digest().value != none)
    }

    @Test func portionsCount() {
        let bytes = Self.bytes(100)
        var digests: Set<UInt64> = [Self.digest(bytes)]
        for cut in 0...100 {
            var digest = Digest()
            bytes.withUnsafeBytes { bytes in
                digest.combine(.init(rebasing: bytes[..<cut]))
                digest.combine(.init(rebasing: bytes[cut...]))
            }
            #expect(digests.insert(digest.value).inserted)
        }
    }

    @Test func theSamePortionsGiveTheSameDigest() {
        let digests = (0..<2).map { _ in
            var digest = Digest(seed: 3)
            for length in [10, 0, 70] { Self.bytes(length).withUnsafeBytes { digest.combine($0) } }
            return digest.value
        }
        #expect(digests[0] == digests[1])
    }

    private static let pinned: [(Int, UInt64)] = [
        (0, 0xf919_2aeb_c956_dae2),
        (1, 0xf557_d76b_1a09_93a3),
        (2, 0x74a5_9fc7_aaab_022f),
        (3, 0xcf86_d951_a94d_208b),
        (4, 0xf299_20f0_3fda_23fb),
        (7, 0x399e_afce_dc3c_0bb1),
        (8, 0xb4f3_e8fd_1144_1557),
        (9, 0x1627_a46c_819c_cc71),
        (15, 0x93c3_1c80_6207_f16a),
        (16, 0xd4a1_f983_bcd5_ea34),
        (17, 0x1d90_06aa_bcec_2753),
        (31, 0x8197_3373_0e52_f5c8),
        (32, 0x4e05_5370_33a0_24da),
        (33, 0x5359_07e2_b0a1_6e6b),
        (63, 0x510d_ea6f_bfa0_e6f7),
        (64, 0x397f_ca7c_5c85_237a),
        (65, 0xc308_252f_8c20_5f5a),
        (127, 0x6e14_f4bc_6dd0_dae8),
        (128, 0x3e56_028f_e412_a26c),
        (129, 0x3874_5997_e54c_2818),
        (1_000, 0x6f1e_4bb9_1374_1176),
        (65_536, 0xd4e2_4ff8_d7ba_77bb),
        (1_000_003, 0xebfc_60b6_bd79_319a),
    ]

    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { Digest.of($0) }
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8 &+ 13) }
    }
}
