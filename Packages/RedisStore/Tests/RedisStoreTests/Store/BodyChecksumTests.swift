import Testing

@testable import RedisStore

@Suite struct BodyChecksumTests {
    @Test(arguments: [0, 1, 7, 8, 31, 32, 33, 100, 1_000]) func eachBitAndTheLengthCount(_ count: Int) {
        func sum(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { BodyChecksum.of($0) } }
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
        var sums: Set<UInt64> = [sum(bytes), sum(bytes + [0]), sum([0] + bytes)]
        for position in 0..<count * 8 {
            var other = bytes
            other[position / 8] ^= 1 << UInt8(position % 8)
            sums.insert(sum(other))
        }
        // Without bytes, a zero before is a zero behind.
        #expect(sums.count == count * 8 + (count == 0 ? 2 : 3))
    }

    @Test func checksumsOfStoredBodiesStayTheSame() {
        let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0) }
        #expect(bytes.withUnsafeBytes { BodyChecksum.of($0) } == 4_973_816_113_975_508_362)
    }
}
