import Foundation
import Testing

@testable import TangoRequest
@testable import TangoURLSession
@testable import TestSupport

/// The cache of objects made from rules of trust. A changed file causes a new object.
struct KnownTrustsTests {
    private final class Made: Sendable {}

    private func temporary() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("trusts-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder.path
    }

    private func rules(_ sources: CertificateSource...) -> ServerTrust.Rules {
        ServerTrust.authorities(sources).rules(for: "example.com")
    }

    @Test func equalRulesShareAnObject() throws {
        let known = KnownTrusts<Made>()
        let one = rules(.data(Data([1])))
        let made = known.find(one) { _ in Made() }
        #expect(known.find(one) { _ in Made() } === made)
        #expect(known.find(rules(.data(Data([1])))) { _ in Made() } === made)
        #expect(known.find(rules(.data(Data([2])))) { _ in Made() } !== made)
        #expect(known.find(.system) { _ in Made() } !== made)
        #expect(known.find(one) { _ in Made() } === made)
    }

    @Test func changedFileIsReadAgain() throws {
        let folder = try temporary()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/authority.pem"
        let known = KnownTrusts<Made>()
        let rules = rules(.data(Data([1])), .file(path))
        // A missing file may be created later.
        let missing = known.find(rules) { _ in Made() }
        #expect(known.find(rules) { _ in Made() } === missing)
        try Data("one".utf8).write(to: URL(fileURLWithPath: path))
        let first = known.find(rules) { _ in Made() }
        #expect(first !== missing)
        #expect(known.find(rules) { _ in Made() } === first)
        // Replaces the file by one of the same length.
        try Data("two".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        let second = known.find(rules) { _ in Made() }
        #expect(second !== first)
        #expect(known.find(rules) { _ in Made() } === second)
    }

    @Test func equivalentPathsAndPassphrasesAreDifferentRules() {
        let known = KnownTrusts<Made>()
        let words = ["caf\u{e9}", "cafe\u{301}"]
        #expect(words[0] == words[1])
        let files = words.map { known.find(rules(.file("/authorities/\($0).pem"))) { _ in Made() } }
        #expect(files[0] !== files[1])
        let keys = words.map { word in
            let trust = ServerTrust.clientCertificate(.pem("c"), key: .pem("k"), passphrase: word)
            return known.find(trust.rules(for: "example.com")) { _ in Made() }
        }
        #expect(keys[0] !== keys[1])
        // Equal bytes give equal rules.
        #expect(known.find(rules(.file("/authorities/\(words[1]).pem"))) { _ in Made() } === files[1])
    }

    @Test func failureIsNotCached() throws {
        let known = KnownTrusts<Made>()
        let rules = rules(.data(Data([1])))
        #expect(throws: BadTrust.self) { try known.find(rules) { _ throws(BadTrust) in throw BadTrust("no") } }
        let made = known.find(rules) { _ in Made() }
        #expect(known.find(rules) { _ in Made() } === made)
    }

    @Test func mostRecentlyUsedObjectsStayCached() throws {
        let known = KnownTrusts<Made>(most: 2)
        let first = rules(.data(Data([9])))
        let object = known.find(first) { _ in Made() }
        _ = known.find(rules(.data(Data([8])))) { _ in Made() }
        #expect(known.find(first) { _ in Made() } === object)
        _ = known.find(rules(.data(Data([7])))) { _ in Made() }
        #expect(known.find(first) { _ in Made() } === object)
    }

    @Test func numberOfCachedObjectsIsLimited() throws {
        let known = KnownTrusts<Made>(most: 2)
        let all = (0..<3).map { rules(.data(Data([$0]))) }
        let made = all.map { rules in known.find(rules) { _ in Made() } }
        #expect(known.find(all[2]) { _ in Made() } === made[2])
        #expect(known.find(all[1]) { _ in Made() } === made[1])
        // The most recently used object stays.
        #expect(known.find(all[0]) { _ in Made() } !== made[0])
        #expect(known.find(all[1]) { _ in Made() } === made[1])
        #expect(known.find(all[2]) { _ in Made() } !== made[2])
    }

    @Test func concurrentReadersShareAnObject() {
        let known = KnownTrusts<Made>()
        let rules = rules(.data(Data([1])))
        var inner: Made?
        let outer = known.find(rules) { _ in
            inner = known.find(rules) { _ in Made() }
            return Made()
        }
        #expect(outer === inner)
    }

    @Test func objectOfAnOldFileReplacesNoNewerOne() throws {
        let folder = try temporary()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/authority.pem"
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        let known = KnownTrusts<Made>()
        let rules = rules(.file(path))
        // The object of the old file is made last.
        let outer = try known.find(rules) { _ in
            try Data("new one".utf8).write(to: URL(fileURLWithPath: path))
            let inner = known.find(rules) { _ in Made() }
            #expect(known.find(rules) { _ in Made() } === inner)
            return Made()
        }
        #expect(known.find(rules) { _ in Made() } !== outer)
    }
}
