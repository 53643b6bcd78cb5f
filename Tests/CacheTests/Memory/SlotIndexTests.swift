import Testing

@testable import TangoCache

@Suite struct SlotIndexTests {
    @Test func equalDigestsAreToldApartByTheirSlots() {
        var index = SlotIndex()
        for slot in 0..<100 { index.insert(slot, digest: 7) }
        for slot in stride(from: 0, to: 100, by: 3) { index.remove(slot, digest: 7) }
        for slot in 0..<100 {
            #expect(index.slot(of: 7) { $0 == slot } == (slot.isMultiple(of: 3) ? nil : slot))
        }
    }

    @Test func digestsThatDifferInOneHalfOnlyAreFound() {
        var index = SlotIndex()
        let digests: [UInt64] = [0, 1, 1 << 32, 1 << 63, .max, .max << 32, .max >> 32]
        for (slot, digest) in digests.enumerated() { index.insert(slot, digest: digest) }
        for (slot, digest) in digests.enumerated() {
            #expect(index.slot(of: digest) { digests[$0] == digest } == slot)
        }
    }

    @Test func removingWhatIsNotThereChangesNothing() {
        var index = SlotIndex()
        index.insert(1, digest: 5)
        index.remove(2, digest: 5)
        index.remove(1, digest: 5 << 40)
        #expect(index.slot(of: 5) { _ in true } == 1)
    }

    @Test(arguments: [1, 4, 64, 100_000])
    func isWhatADictionaryIs(distinctHomes: Int) {
        var index = SlotIndex()
        var reference: [Int: UInt64] = [:]
        var random = SeededNumbers(distinctHomes)
        for _ in 0..<20_000 {
            let slot = Int.random(in: 0..<300, using: &random)
            if let digest = reference.removeValue(forKey: slot) {
                index.remove(slot, digest: digest)
                #expect(index.slot(of: digest) { $0 == slot } == nil)
            } else {
                let digest = UInt64.random(in: 0..<UInt64(distinctHomes), using: &random) << 32 | .random(in: 0..<4)
                index.insert(slot, digest: digest)
                reference[slot] = digest
            }
        }
        for (slot, digest) in reference {
            #expect(index.slot(of: digest) { $0 == slot } == slot)
        }
    }
}
