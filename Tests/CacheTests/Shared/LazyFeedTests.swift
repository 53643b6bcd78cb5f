import Foundation
import Testing

@testable import TangoCache

/// The changes of a store that is opened at its first use.
@Suite(.timeLimit(.minutes(20)))
struct LazyFeedTests {
    private let folder = ScratchFolder()

    @Test func changesBeginWhenTheStoreOpens() async throws {
        let lazy = LazyStore { [folder] in try DiskStore(directory: folder.url, onEvent: { _ in }) }
        let early = try #require(lazy.changes())
        let other = try DiskStore(directory: folder.url, onEvent: { _ in })
        #expect(try await lazy.get("a") == nil)
        let late = try #require(lazy.changes())
        for changes in [early, late] {
            var iterator = changes.makeAsyncIterator()
            #expect(await iterator.next() == .all)
            try await other.remove("a")
            #expect(await iterator.next() == .key("a"))
        }
        await other.close()
    }
}
