import Foundation
import TangoCache
import Testing

@Suite struct DiskStoreTests {
    private let folder = ScratchFolder()

    @Test(arguments: [DiskStore.Engine.sqlite, .files]) func theContractHolds(_ engine: DiskStore.Engine) async throws {
        try await CacheStoreConformance.check { try DiskStore(directory: folder.url, engine: engine) }
    }
}
