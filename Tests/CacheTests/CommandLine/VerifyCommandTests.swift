import Foundation
import Testing

@testable import CacheTool
@testable import TangoCache

@Suite struct VerifyCommandTests {
    @Test func aSoundStoreIsDone() async throws {
        let folder = try await ToolFolder()
        let result = await Tool.result("verify", folder.path)
        #expect(result.code == .done)
        #expect(result.text == "4 entries, 202 kB: all sound\n")
        let document = try await Tool.result("verify", folder.path, "--json").document
        #expect(document["sound"] as? Bool == true)
        #expect(document["checked"] as? Int == 4)
        #expect(document["bytes"] as? Int == 202_103)
        #expect(document["repair"] as? Bool == false)
        #expect(document.count == 9)
    }

    @Test func damageIsNamedAndRepaired() async throws {
        let folder = try await ToolFolder()
        try folder.change("UPDATE entry SET body = x'00' WHERE key = x'61'")
        let json = await Tool.result("verify", folder.path, "--json")
        #expect(json.code == .nothing)
        #expect(
            try json.document["damaged"] as? [[String: String]]
                == [["key": "a", "keyHex": "61", "reason": "its row does not match its checksum"]])
        let result = await Tool.result("verify", folder.path, "--repair")
        #expect(result.code == .nothing)
        #expect(
            result.text == """
                a: its row does not match its checksum
                4 entries, 202 kB: 1 damaged
                1 entry removed

                """)
        #expect(await Tool.result("verify", folder.path).code == .done)
    }

    @Test func aDatabaseThatCannotBeOpenedIsDamage() async throws {
        let folder = try await ToolFolder()
        try folder.damage(folder.place.database, at: 0, count: 4096)
        let result = await Tool.result("verify", folder.path, "--json")
        #expect(result.code == .nothing)
        #expect(try (result.document["structure"] as? [String])?.count == 1)
        #expect(try result.document["sound"] as? Bool == false)
        let repaired = await Tool.result("verify", folder.path, "--repair")
        #expect(repaired.code == .nothing)
        #expect(repaired.text.contains("the store: the database was damaged"))
        #expect(folder.scratch.files.contains { $0.hasPrefix("damaged-") })
        #expect(await Tool.result("verify", folder.path).code == .done)
    }
}
