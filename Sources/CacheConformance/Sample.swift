/// Bytes and entries that are made from a number. A report can read the number from the bytes, and so name a wrong
/// body.
enum Sample {
    /// Returns bytes that begin with the number, in eight bytes. Long bodies repeat a block whose length is a
    /// prime, so that a misplaced portion is detected.
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

    /// Returns an entry whose body and metadata depend on the number.
    static func entry(
        _ number: Int, tags: Set<String> = [], pinned: Bool = false, written: Date? = nil
    ) -> CacheEntry {
        CacheEntry(
            body: bytes(64 + number, of: number), metadata: ["sample": "\(number)"], tags: tags, pinned: pinned,
            written: written)
    }

    /// Returns the number that bytes were made from, or nil if they are different.
    static func number(of data: Data) -> Int? {
        guard data.count >= 8 else { return nil }
        let word = data.prefix(8).reversed().reduce(UInt64(0)) { word, byte in word << 8 | UInt64(byte) }
        let number = Int(truncatingIfNeeded: word)
        return bytes(data.count, of: number) == data ? number : nil
    }
}
