import Foundation
import Testing

@testable import TangoCache

/// A pipe in place of a file of a store. Opening a pipe waits for its other end.
@Suite struct PipeTests {
    private let folder = ScratchFolder()

    /// Replaces a file by a pipe.
    private func replace(_ path: String) throws {
        unlink(path)
        try FileManager.default.createDirectory(
            at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(mkfifo(path, 0o600) == 0)
    }

    private func expectNoBlock(_ path: String, _ work: @escaping @Sendable () async throws -> Void) async throws {
        let result = try await expectNotToBlock {
            // A writer that does not wait resumes a reader that waits.
            let descriptor = open(path, O_RDWR | O_NONBLOCK)
            usleep(100_000)
            close(descriptor)
        } _: { () -> Result<Void, any Error> in
            let ended = DispatchSemaphore(value: 0)
            let result = Guarded<Result<Void, any Error>>(.success(()))
            Task.detached {
                do { try await work() } catch { result.change { $0 = .failure(error) } }
                ended.signal()
            }
            ended.wait()
            return result.value
        }
        try result.get()
    }

    @Test func inThePlaceOfABodyItIsDamage() async throws {
        let store = try DiskStore(directory: folder.url, onEvent: { _ in })
        try await store.set(CacheEntry(body: Data(count: 50_000)), for: "a")
        let path = folder.path + "/" + (try #require(folder.files.first { $0.hasPrefix("bodies/") }))
        try replace(path)
        try await expectNoBlock(path) {
            #expect(try await store.get("a") == nil)
            #expect(try await store.reader(for: "a") == nil)
            try await store.maintain()
        }
        await store.close()
    }

    @Test(arguments: ["index/entries.sqlite", "lock", "instances/00000abc", "index/entries.sqlite-wal"])
    func inThePlaceOfWhatADatabaseNeedsItBlocksNothing(_ name: String) async throws {
        await (try DiskStore(directory: folder.url, onEvent: { _ in })).close()
        let path = folder.path + "/" + name
        try replace(path)
        for isWritable in [true, false] {
            chmod(path, isWritable ? 0o600 : 0o400)
            try await expectNoBlock(path) { [url = folder.url] in
                // An error is acceptable too: it shows that opening does not wait for the other end.
                guard let store = try? DiskStore(directory: url, onEvent: { _ in }) else { return }
                _ = try? await store.get("a")
                _ = try? await store.maintain()
                await store.close()
            }
        }
    }
}
