import Foundation
import Synchronization
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// Processes that end after each change on the disk.
@Suite(.timeLimit(.minutes(20)))
struct BackgroundCrashTests {
    /// The folders after one change, with the tasks of the system.
    private struct Moment {
        let kept: ScratchFiles
        let files: ScratchFiles
        let tasks: [SystemTransfer]
    }

    /// Copies a folder by hard links, so that files keep their numbers.
    private static func copy(_ folder: ScratchFiles, to other: ScratchFiles) throws {
        for name in BackgroundSite.names(other) {
            try FileManager.default.removeItem(at: other.url.appendingPathComponent(name))
        }
        for name in BackgroundSite.names(folder) {
            try FileManager.default.linkItem(
                at: folder.url.appendingPathComponent(name), to: other.url.appendingPathComponent(name))
        }
    }

    @Test(arguments: [false, true], [false, true])
    func fileIsWholeAfterAnEndAtAnyMoment(isFolder: Bool, eventsComeTwice: Bool) async throws {
        let site = BackgroundSite()
        let moments = Mutex<[Moment]>([])
        let request = site.get()
        if isFolder { request.target = .folder(site.files.url) }
        site.launch { [weak site] in
            guard let site else { return }
            let moment = Moment(
                kept: ScratchFiles(), files: ScratchFiles(), tasks: site.system.state.withLock(\.tasks))
            try? Self.copy(site.kept, to: moment.kept)
            try? Self.copy(site.files, to: moment.files)
            moments.withLock { $0.append(moment) }
        }
        let call = request.start()
        let id = await site.system.order().id
        // The record and its task are there.
        while moments.withLock(\.count) < 2 { await Task.yield() }
        try site.system.deliver(id, filmBytes)
        _ = try await call.value
        let all = moments.withLock { $0 }
        // Saved, started, arriving, moved, arrived, placing, placed, forgotten.
        #expect(all.count == 8)
        // Before the file is in the session's folder, nothing is left but the events of the system.
        let restarts = eventsComeTwice ? [7] : [0, 2, 7]
        for (number, moment) in all.enumerated() {
            try Self.copy(moment.kept, to: site.kept)
            try Self.copy(moment.files, to: site.files)
            site.system.state.withLock { state in
                state.tasks = moment.tasks
                state.orders = []
            }
            await site.launch().ready()
            if !moment.tasks.isEmpty || eventsComeTwice { try site.system.deliver(id, filmBytes) }
            let call = request.start()
            // A transfer that is lost begins anew.
            if restarts.contains(number) { try site.system.deliver(await site.system.order().id, filmBytes) }
            let file = try await call.value
            #expect(site.system.orders.count == (restarts.contains(number) ? 1 : 0), "after change \(number)")
            #expect(try Data(contentsOf: file.url) == filmBytes, "after change \(number)")
            #expect(BackgroundSite.names(site.kept).isEmpty, "after change \(number)")
            let names = BackgroundSite.names(site.files)
            // With a folder, a download that begins anew after the end of everything has a name of its own.
            #expect(names == ["film.mp4"] || number == 7 && isFolder && names == ["film 2.mp4", "film.mp4"])
        }
    }

    /// A process has given the file its permissions, and has ended before it could move it. Only the superuser may open
    /// such a file for writing.
    @Test func readOnlyFileIsVerifiedAgain() async throws {
        let site = BackgroundSite()
        site.launch()
        let request = site.get()
        request.target = .file(site.target, permissions: 0o400)
        let call = request.start()
        let id = await site.system.order().id
        try FileManager.default.removeItem(at: site.files.url)
        try site.system.deliver(id, filmBytes)
        #expect(try await failure { try await call.value }.code == .cannotWriteFile)
        try FileManager.default.createDirectory(at: site.files.url, withIntermediateDirectories: true)
        @Sendable func permissions(_ path: String) -> Int? {
            (try? FileManager.default.attributesOfItem(atPath: path))?[.posixPermissions] as? Int
        }
        let next = DownloadFiles.$fault.withValue({ name, path, _ in
            name == .create && permissions(path).map { $0 & 0o200 == 0 } == true ? EACCES : nil
        }) { request.start() }
        #expect(try await next.value.count == filmBytes.count)
        #expect(permissions(site.target.path) == 0o400)
        #expect(site.system.orders.count == 1)
    }
}
