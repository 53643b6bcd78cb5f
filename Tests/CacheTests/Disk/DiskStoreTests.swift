import Foundation
import TangoCache
import Testing

@Suite struct DiskStoreTests {
    private let folder = ScratchFolder()

    @Test func theContractHolds() async throws {
        try await CacheStoreConformance.check { try DiskStore(directory: folder.url, engine: .sqlite) }
    }
}
