import Foundation
import Testing

@testable import TangoCache

/// Random operations on a shelf, compared with a plain dictionary of the possible content.
@Suite struct ShelfModelTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var seed: Int
        var limits: CacheLimits
        /// The number of different digests. A low number makes collisions.
        var digests: UInt64

        var testDescription: String { "seed \(seed), limits \(limits), \(digests) digests" }
    }

    static let cases = (0..<24).map { seed in
        let limits = [
            CacheLimits(bytes: 4000), CacheLimits(count: 20), CacheLimits(bytes: 6000, count: 15, age: .seconds(50)),
            CacheLimits(age: .seconds(20)), CacheLimits(bytes: 900, count: 1), CacheLimits(bytes: 0, count: 0),
        ]
        return Case(seed: seed, limits: limits[seed % limits.count], digests: [1, 3, 1 << 40][seed / 8])
    }

    @Test(arguments: cases)
    func staysInBoundsAndNeverReturnsWhatWasNotStored(_ setting: Case) {
        var random = SeededNumbers(setting.seed)
        var shelf = Shelf(limits: setting.limits)
        var stored: [String: CacheEntry] = [:]
        var charges: [String: Int] = [:]
        var time = 1000.0

        for step in 0..<600 {
            let name =
                String(repeating: "k", count: .random(in: 0..<3, using: &random) * 60)
                + ["", "line\n", "line\nsecond\n"][Int.random(in: 0..<3, using: &random)]
                + "\(Int.random(in: 0..<40, using: &random))"
            let key = CacheKey(name)
            let digest = (key.digest % setting.digests) << 32
            var removed = RemovedEntries()
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<9:
                var deadline = Double.infinity
                let entry = shelf.read(key, digest: digest, deadline: &deadline)
                guard let entry else { continue }
                #expect(entry.text == stored[name]?.text, "step \(step)")
                #expect(deadline == Self.deadline(of: stored[name], setting.limits))
                if time >= deadline {
                    shelf.removeEnded(key, digest: digest, deadline: deadline, removed: &removed)
                }
            case 9..<16:
                var entry = CacheEntry("\(step)", pinned: Int.random(in: 0..<8, using: &random) == 0)
                entry.tags = Set(["a", "b", "c"].filter { _ in Bool.random(using: &random) })
                entry.written = Date(timeIntervalSinceReferenceDate: time + .random(in: -30...30, using: &random))
                if Bool.random(using: &random) {
                    entry.expires = Date(timeIntervalSinceReferenceDate: time + .random(in: -5...50, using: &random))
                }
                let charge = Int.random(in: 0...1000, using: &random)
                let before = (shelf.count, shelf.bytes)
                do throws(CacheError) {
                    try shelf.store(
                        entry, for: key, digest: digest, charge: charge, pinned: entry.pinned, now: time,
                        removed: &removed)
                    stored[name] = entry
                    charges[name] = charge
                    var deadline = 0.0
                    let found = shelf.read(key, digest: digest, deadline: &deadline)
                    #expect(found?.text == "\(step)")
                } catch {
                    #expect(before == (shelf.count, shelf.bytes))
                    let pinned = stored.filter { $0.value.pinned && $0.key != name }
                    let room = (setting.limits.bytes ?? .max) - pinned.reduce(0) { $0 + charges[$1.key]! }
                    #expect(charge > room || pinned.count >= setting.limits.count ?? .max)
                    let isTooLarge = charge > setting.limits.bytes ?? .max || setting.limits.count == 0
                    #expect((error.code == .tooLarge) == isTooLarge)
                }
            case 16..<18:
                shelf.remove(key, digest: digest, removed: &removed)
                stored[name] = nil
            case 18:
                time += .random(in: -20...25, using: &random)
            default:
                switch Int.random(in: 0..<12, using: &random) {
                case 0:
                    _ = shelf.clear()
                    stored = [:]
                case 1:
                    shelf.trim(to: .random(in: 0...1, using: &random), now: time, removed: &removed)
                case 2..<6:
                    let tag = ["a", "b", "c"].randomElement(using: &random) ?? ""
                    let items = shelf.items(from: 0, now: -.infinity).items
                    shelf.removeAll(removed: &removed, tag: tag)
                    let left = shelf.items(from: 0, now: -.infinity).items.map(\.key)
                    #expect(left == items.filter { !$0.tags.contains(tag) }.map(\.key), "step \(step)")
                    for (other, entry) in stored where entry.tags.contains(tag) { stored[other] = nil }
                default:
                    // Sometimes up to the first line break, sometimes with a part of the next line.
                    let end = name.firstIndex(of: "\n").map { name.index(after: $0) } ?? name.endIndex
                    let prefix = Bool.random(using: &random) ? String(name[..<end]) : name
                    shelf.removeAll(removed: &removed, prefix: CacheKey(prefix))
                    for other in stored.keys where other.hasPrefix(prefix) { stored[other] = nil }
                    #expect(
                        !shelf.items(from: 0, now: -.infinity).items.contains { $0.key.hasPrefix(CacheKey(prefix)) },
                        "step \(step)")
                }
            }
            check(shelf, stored, charges, setting.limits)
        }
    }

    private func check(
        _ shelf: borrowing Shelf, _ stored: [String: CacheEntry], _ charges: [String: Int], _ limits: CacheLimits
    ) {
        let (count, bytes, pinnedCount) = (shelf.count, shelf.bytes, shelf.pinned.count)
        #expect(count <= limits.count ?? .max)
        #expect(bytes <= limits.bytes ?? .max)
        #expect(pinnedCount <= count)
        let items = shelf.items(from: 0, now: -.infinity).items
        #expect(items.count == count)
        #expect(items.reduce(0) { $0 + charges[$1.key.text ?? "", default: 0] } == bytes)
        let wrong = items.filter { item in
            let entry = stored[item.key.text ?? ""]
            return entry?.body.count != item.size || entry?.pinned != item.pinned
        }
        #expect(wrong.isEmpty)
        // A pinned entry is missing only if it was removed or had expired.
        let listed = Set(items.map { $0.key.text ?? "" })
        let lost = stored.filter { $0.value.pinned && $0.value.expires == nil && !listed.contains($0.key) }
        #expect(lost.isEmpty)
    }

    private static func deadline(of entry: CacheEntry?, _ limits: CacheLimits) -> Double {
        guard let entry, let written = entry.written else { return .nan }
        var deadline = Double.infinity
        if let age = limits.age, !entry.pinned {
            deadline = (written.timeIntervalSinceReferenceDate + Double(age.components.seconds)).nextUp
        }
        return min(deadline, entry.expires?.timeIntervalSinceReferenceDate ?? .infinity)
    }
}
