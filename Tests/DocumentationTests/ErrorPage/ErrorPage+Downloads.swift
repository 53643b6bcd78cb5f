#if os(Linux)
    import Foundation
    import LoopbackServer

    @testable import TangoTransfers
    @testable import TangoRequest
    @testable import TestSupport

    /// Errors of downloads.
    extension ErrorPage {
        mutating func downloads() async throws {
            let site = try FileSite(Entity(bytes: 3))
            let client = site.client
            func get(
                _ target: Destination, failing number: CInt? = nil, digest: Checksum? = nil, parts: DownloadParts = .one
            ) async throws -> Any {
                let request = GetFile(of: client, to: target)
                request.connections = parts
                request.digest = digest
                let fault: FileSystem.Fault = { _, _, _ in number }
                let promise = DownloadFiles.$fault.withValue(fault) { request.start().promise }
                do {
                    return try await promise.value
                } catch var error as RequestError {
                    // The folder has another name in each run.
                    for folder in [site.files.url.path] {
                        error.detail = error.detail.replacing(folder, with: "/downloads")
                    }
                    for part in error.detail.matches(of: #/\.tango-[0-9a-f]+/#) {
                        error.detail = error.detail.replacing(String(part.output), with: ".tango-…")
                    }
                    throw error
                }
            }
            let file = Destination.file(site.target)
            await add("A download without a destination.") { try await get(.undeclared) }
            await add("A download to a folder that does not exist.") {
                try await get(.folder(site.files.url.appendingPathComponent("none")))
            }
            await add("A download to a file whose name is that of a folder.") { try await get(.file(site.files.url)) }
            await add("A download to the URL of a page.") {
                try await get(.file(URL(string: "https://example.com/film") ?? site.target))
            }
            await add("A download to a full disk.") { try await get(file, failing: ENOSPC) }
            await add("A download to a folder without the permission to write.") {
                try await get(file, failing: EACCES)
            }
            await add("A download of a file that is too large for the file system.") {
                try await get(file, failing: EFBIG)
            }
            await add("A download in too many parts.") { try await get(file, parts: .upTo(100)) }
            await add("A download whose checksum is not one.") { try await get(file, digest: .sha256("abc")) }
            await add("A download with another checksum.") {
                try await get(file, digest: .sha256(String(repeating: "0", count: 64)))
            }
            let gate = Gate()
            site.server.answer("/film.mp4", with: Response.generated(bytes: 300_000).held(by: gate, at: .responseBody))
            let call = site.get().start()
            for await progress in call.progress where progress.received > 0 { break }
            await add("Two downloads to one file at the same time.") { try await get(file) }
            call.cancel()
            gate.open()
            site.server.answer("/film.mp4", with: .bytes([1], status: 206))
            await add("A part of a file, although all of it was requested.") { try await get(file) }
        }
    }
#endif
