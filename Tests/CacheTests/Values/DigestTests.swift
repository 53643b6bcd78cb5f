import Testing

@testable import TangoCache

/// Digests are in files of released versions, so these values never change.
@Suite struct DigestTests {
    @Test(arguments: pinned)
    func aDigestNeverChanges(_ length: Int, _ digest: UInt64) {
        #expect(Self.digest(Self.bytes(length)) == digest)
    }

    @Test func theDigestsOfAllShortLengthsNeverChange() {
        var all = Digest()
        for length in 0...200 { all.combine(Self.digest(Self.bytes(length))) }
        #expect(all.value == 0xf959_f41c_5bcd_720d)
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
        (64, 0x064f_8d81_d2d6_7d0a),
        (65, 0xbbbf_dc55_d794_ac23),
        (127, 0x6586_8777_eaad_0325),
        (128, 0x0aa6_5ef6_1bc2_45dd),
        (129, 0x1e3e_d7e6_e0c9_9b7a),
        (1_000, 0x4a3c_bc53_7ce4_5bd5),
        (65_536, 0x0009_9c78_90d3_4b0c),
        (1_000_003, 0xaa86_8003_8213_149a),
    ]

    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { Digest.of($0) }
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8 &+ 13) }
    }
}
