import Foundation
import TangoCache
import Testing

@Suite struct VerifySnippets {
    @Test func verifying() async throws {
        let folder = ScratchFolder()
        let store = try DiskStore(directory: folder.url)
        let verification = try await store.verify(repair: true)
        if !verification.isSound { print(verification.damaged, verification.structure) }
        #expect(verification.isSound)
    }
}
