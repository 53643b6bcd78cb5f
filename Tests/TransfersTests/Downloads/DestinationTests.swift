import Foundation
import LoopbackServer
import Synchronization
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// Places of downloads: names, locks, permissions and disks that are full.
@Suite(.timeLimit(.minutes(20)))
struct DestinationTests {
    private let place: FileSite
    private let size = FileSite.size

    init() throws { place = try FileSite() }

    @Test func folderGetsTheNameOfTheServer() async throws {
        place.server.enqueue(
            Response.text("one").header("Content-Disposition", "attachment; filename=\"../../a b.txt\""))
        let file = try await place.getIntoFolder().start().value
        #expect(file.url.lastPathComponent == "a b.txt")
        #expect(place.names == ["a b.txt"])
    }

    @Test func takenNamesAreNumbered() async throws {
        for name in ["film.mp4", "film 2.mp4", "film 3.mp4"] {
            #expect(try await place.getIntoFolder().start().value.url.lastPathComponent == name)
        }
        #expect(place.names == ["film 2.mp4", "film 3.mp4", "film.mp4"])
    }

    @Test func folderIsResumed() async throws {
        place.breakOff()
        _ = await refusal(of: place.getIntoFolder().start().promise)
        #expect(try await place.getIntoFolder().start().value.resumedFrom > 0)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func missingFolderIsAnError() async throws {
        for target in [
            Destination.folder(place.files.url.appendingPathComponent("none")),
            .file(place.files.url.appendingPathComponent("none/film.mp4")),
        ] {
            let request = place.get()
            request.target = target
            let error = try #require(await refusal(of: request.start().promise))
            #expect(error.code == .badDestination)
            #expect(error.detail.contains("does not exist"))
        }
        #expect(place.server.requests.isEmpty)
    }

    @Test func impossibleDestinationsAreErrors() async throws {
        _ = try place.files.file("plain", Data())
        let plain = place.files.url.appendingPathComponent("plain")
        let web = try #require(URL(string: "https://example.com/a"))
        for target in [
            Destination.file(place.files.url), .folder(plain), .file(plain.appendingPathComponent("a")), .file(web),
            .folder(web), .undeclared,
        ] {
            let request = place.get()
            request.target = target
            #expect(try #require(await refusal(of: request.start().promise)).code == .badDestination)
        }
        #expect(place.server.requests.isEmpty)
    }

    @Test func twoDownloadsToOneTargetAreRefused() async throws {
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let first = place.get().start()
        for await progress in first.progress where progress.received > 0 { break }
        let error = try #require(await refusal(of: place.get().start().promise))
        #expect(error.code == .destinationInUse)
        #expect(place.server.requests.count == 1)
        gate.open()
        #expect(try await first.value.count == size)
        #expect(try await place.get().start().value.count == size)
    }

    @Test func cancelledDownloadLeavesItsTargetAtOnce() async throws {
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        for _ in 0..<10 {
            let call = place.get().start()
            for await progress in call.progress where progress.received > 0 { break }
            call.cancel()
            // The next one finds the file unlocked.
        }
        gate.open()
        #expect(try await place.get().start().value.count == size)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    #if os(Linux)
        /// A process that is being started has copies of all descriptors until it runs its program. Here, copies stand for it.
        @Test func startingAProcessDoesNotKeepATargetLocked() async throws {
            let gate = Gate()
            let entity = place.entity
            place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
            let call = place.get().start()
            for await progress in call.progress where progress.received > 0 { break }
            let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init)
                .filter { descriptor in
                    let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                    return path?.hasPrefix(place.files.url.path) == true
                }
                .map { dup($0) }
            defer { for copy in copies { close(copy) } }
            #expect(!copies.isEmpty)
            call.cancel()
            gate.open()
            #expect(try await place.get().start().value.count == size)
        }
    #endif

    /// Without the permissions of the owner, only the superuser could resume a partial file or remove its bytes.
    @Test(
        arguments: [(0o600, 0o600), (0o640, 0o640), (0o400, 0o600), (0o044, 0o644)] as [(UInt16, Int)], [true, false])
    func permissionsAreThoseOfTheDestination(_ row: (file: UInt16, partial: Int), isFolder: Bool) async throws {
        let request = place.get()
        request.target =
            isFolder
            ? .folder(place.files.url, permissions: row.file) : .file(place.target, permissions: row.file)
        place.breakOff()
        _ = await refusal(of: request.start().promise)
        func permissions(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: place.files.url.appendingPathComponent(name).path)[
                .posixPermissions] as? Int
        }
        let part = try #require(place.names.first { !$0.hasSuffix(".resume") })
        #expect(try permissions(part) == row.partial)
        _ = try await request.start().value
        #expect(try permissions("film.mp4") == Int(row.file))
        #expect(place.names == ["film.mp4"])
    }

    // MARK: Failing calls of the system

    /// Runs a download while calls of the system fail.
    private func failing(
        _ fault: @escaping FileSystem.Fault, _ request: GetFile
    ) async throws -> RequestError {
        let promise = DownloadFiles.$fault.withValue(fault) { request.start().promise }
        return try #require(await refusal(of: promise))
    }

    @Test func fullDiskKeepsWhatCanBeResumed() async throws {
        let size = 8 << 20
        let place = try FileSite(Entity(bytes: size))
        let error = try await failing(
            { name, _, count in name == .write && count >= 1 << 20 ? ENOSPC : nil }, place.get())
        #expect(error.code == .diskFull)
        #expect(error.detail.contains("make room"))
        #expect(place.server.requests.count == 1)
        let file = try await place.get().start().value
        #expect(file.resumedFrom >= 1 << 20 && file.resumedFrom < size)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func refusedCallsAreErrors() async throws {
        let opening = try await failing({ name, _, _ in name == .create ? EACCES : nil }, place.get())
        #expect(opening.code == .cannotWriteFile)
        #expect(place.server.requests.isEmpty)
        let writing = try await failing({ name, _, _ in name == .write ? EIO : nil }, place.get())
        #expect(writing.code == .cannotWriteFile)
        let synchronizing = try await failing({ name, _, _ in name == .synchronize ? EIO : nil }, place.get())
        #expect(synchronizing.code == .cannotWriteFile)
        #expect(!place.names.contains("film.mp4"))
        for request in [place.get(), place.getIntoFolder()] {
            let renaming = try await failing({ name, _, _ in name == .rename ? EROFS : nil }, request)
            #expect(renaming.code == .cannotWriteFile)
            #expect(!renaming.isRetryable)
        }
        #expect(try await place.get().start().value.resumedFrom == size)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    /// The system reports a page that it could not write once, and takes it for written then.
    @Test func bytesThatCouldNotBeForcedToTheDiskAreLoadedAgain() async throws {
        let error = try await failing({ name, _, _ in name == .synchronize ? EIO : nil }, place.get())
        #expect(error.code == .cannotWriteFile)
        #expect(place.names.isEmpty)
        #expect(try await place.get().start().value.resumedFrom == 0)
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test func exhaustedDescriptorsHaveTheirCode() async throws {
        let error = try await failing({ name, _, _ in name == .create ? EMFILE : nil }, place.get())
        #expect(error.code == .outOfResources)
    }
}
