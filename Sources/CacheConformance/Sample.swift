import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CacheStoreConformance {
    /// Bytes and entries that are made from a number and show which, so that a wrong one is not only seen but known.
    enum Sample {
        /// Bytes, the first eight of which are the number. Long ones repeat a block whose length is a prime, so that a
        /// piece that a store puts in a wrong place shows.
        static func bytes(_ count: Int, of number: Int) -> Data {
            var state = UInt64(truncatingIfNeeded: number)
            var words = [state.littleEndian]
            while words.count * 8 < min(count, 8_191) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                words.append((state ^ state >> 29).littleEndian)
            }
            var bytes = words.withUnsafeBytes { Data($0.prefix(min(count, 8_191))) }
            bytes.reserveCapacity(count)
            while bytes.count < count { bytes.append(contentsOf: Array(bytes.prefix(count - bytes.count))) }
            return bytes
        }

        /// An entry with a body of its own size and one fact.
        static func entry(_ number: Int) -> CacheEntry {
            CacheEntry(body: bytes(64 + number, of: number), metadata: ["sample": "\(number)"])
        }

        /// The number that bytes were made from, if they were.
        static func number(of data: Data) -> Int? {
            guard data.count >= 8 else { return nil }
            let word = data.prefix(8).reversed().reduce(UInt64(0)) { word, byte in word << 8 | UInt64(byte) }
            let number = Int(truncatingIfNeeded: word)
            return bytes(data.count, of: number) == data ? number : nil
        }
    }
}
