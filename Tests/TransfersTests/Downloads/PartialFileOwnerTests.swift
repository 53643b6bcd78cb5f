import Foundation
import LoopbackServer
import Synchronization
import TangoAuth
import TangoPromise
import Testing

@testable import TangoRequest
@testable import TangoTransfers
@testable import TestSupport

/// A call of the system on the file of a download that ends when a test says so.
private final class BlockedCall: Sendable {
    let hasBegun = Promise<Void>.pending()
    private let name: FileFailure.Call
    private let isFirst = Atomic(true)
    private let ending = DispatchSemaphore(value: 0)

    init(_ name: FileFailure.Call) { self.name = name }

    func block(_ name: FileFailure.Call) -> CInt? {
        guard name == self.name, isFirst.exchange(false, ordering: .relaxed) else { return nil }
        hasBegun.resolver.fulfill()
        ending.wait()
        return nil
    }

    func end() { ending.signal() }
}

/// Notes that the attempt of a call has returned, also if the call had ended before.
private struct AttemptEnd: Interceptor {
    let hasCome = Promise<Void>.pending()

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse {
        defer { hasCome.resolver.fulfill() }
        return try await next(request)
    }
}

/// Partial files belong to the user whose download has left them.
@Suite(.timeLimit(.minutes(20)))
struct PartialFileOwnerTests {
    private let place: FileSite
    private let size = FileSite.size

    init() throws { place = try FileSite() }

    private func client(of user: String) -> Client {
        place.client.with { $0.identity = "\(user) \(place.files.url.path)" }
    }

    private func client(token: String) -> Client {
        place.client.with { $0.headers["Authorization"] = "Bearer \(token)" }
    }

    private func get(of client: Client, isFolder: Bool) -> GetFile {
        GetFile(of: client, to: isFolder ? .folder(place.files.url) : .file(place.target))
    }

    /// Lets a download of a user break off.
    private func cut(of client: Client, isFolder: Bool = true) async throws {
        place.breakOff()
        #expect(await refusal(of: get(of: client, isFolder: isFolder).start().promise) != nil)
        #expect(!place.names.isEmpty)
    }

    /// Copies the folder with its partial files to one that this process does not know.
    private func copyOfTheFolder() throws -> URL {
        let (copy, later) = (
            place.files.url.appendingPathExtension("copy"), place.files.url.appendingPathComponent("later")
        )
        try FileManager.default.copyItem(at: place.files.url, to: copy)
        try FileManager.default.moveItem(at: copy, to: later)
        return later
    }

    #if os(Linux)
        /// The process that signs the user out has no download yet, so it does not know the folder.
        @Test func signOutBeforeTheFirstDownloadOfAProcessCounts() async throws {
            let alice = client(of: "alice")
            try await cut(of: alice)
            let process = try await RequestChild(
                "downloadAfterSignOut", place.server.url("/film.mp4").absoluteString, place.target.path,
                #require(alice.configuration.identity))
            #expect(process["done"] == "yes")
            #expect(process["resumedFrom"] == "0")
            #expect(place.names == ["film.mp4"])
        }
    #endif

    @Test(arguments: [true, false])
    func otherUserGetsNoBytes(_ isFolder: Bool) async throws {
        try await cut(of: client(of: "alice"), isFolder: isFolder)
        let file = try await get(of: client(of: "bob"), isFolder: isFolder).start().value
        #expect(file.resumedFrom == 0)
        #expect(place.ranges == [nil, nil])
        #expect(try Data(contentsOf: place.target) == generated(size))
    }

    @Test(arguments: [true, false])
    func otherCredentialsGetNoBytes(_ isFolder: Bool) async throws {
        try await cut(of: client(token: "alice"), isFolder: isFolder)
        let file = try await get(of: client(token: "bob"), isFolder: isFolder).start().value
        #expect(file.resumedFrom == 0)
        #expect(place.ranges == [nil, nil])
    }

    @Test(arguments: [true, false])
    func sameUserResumes(_ isFolder: Bool) async throws {
        try await cut(of: client(of: "alice"), isFolder: isFolder)
        #expect(try await get(of: client(of: "alice"), isFolder: isFolder).start().value.resumedFrom > 0)
        #expect(place.names == ["film.mp4"])
    }

    /// The bytes would outlive the sign-out of their user, because the other download has the file open.
    @Test func bytesOfAnotherUserAreRemovedAtOnce() async throws {
        try await cut(of: client(of: "alice"), isFolder: false)
        place.server.enqueue(.text("gone", status: 404))
        #expect(await refusal(of: get(of: client(of: "bob"), isFolder: false).start().promise) != nil)
        #expect(place.names.isEmpty)
    }

    // MARK: Signing out

    @Test(arguments: [true, false])
    func partialFileEndsWithItsUser(_ isFolder: Bool) async throws {
        let alice = client(of: "alice")
        try await cut(of: alice, isFolder: isFolder)
        try await alice.signOut()
        #expect(place.names.isEmpty)
    }

    @Test func partialFilesOfOthersStay() async throws {
        let (alice, bob) = (client(of: "alice"), client(of: "bob"))
        try await cut(of: bob)
        let names = place.names
        try await cut(of: alice)
        try await alice.signOut()
        #expect(place.names == names)
        #expect(try await get(of: bob, isFolder: true).start().value.resumedFrom > 0)
    }

    @Test func downloadInFlightLeavesNothing() async throws {
        let alice = client(of: "alice")
        let gate = Gate()
        let entity = place.entity
        place.server.answer("/film.mp4") { entity.response(to: $0).held(by: gate, at: .responseBody) }
        let call = get(of: alice, isFolder: true).start()
        for await progress in call.progress where progress.received > 0 { break }
        try await alice.signOut()
        gate.open()
        #expect(try #require(await refusal(of: call.promise)).code == .signedOut)
        #expect(place.names.isEmpty)
    }

    /// The call was cancelled, and waits to close its file until a write has ended. So its file is locked.
    @Test(arguments: [true, false])
    func downloadThatIsClosingItsFileLeavesNothing(isNamed: Bool) async throws {
        let client = isNamed ? client(of: "alice") : client(token: "alice")
        let write = BlockedCall(.write)
        let call = DownloadFiles.$fault.withValue({ name, _, _ in write.block(name) }) {
            get(of: client, isFolder: true).start()
        }
        try await write.hasBegun.promise.value
        let (hasClosed, closing) = Promise<Void>.pending()
        DispatchQueue.global().async {
            call.cancel()
            closing.fulfill()
        }
        while call.state != .finished(.cancelled) { await Task.yield() }
        try await client.signOut()
        write.end()
        try await hasClosed.value
        #expect(place.names.isEmpty)
    }

    /// The sign-out ends while the file is not open yet, or is locked and has no call yet. This process does not know the
    /// folder.
    @Test(arguments: [FileFailure.Call.create, .protect], [true, false])
    func downloadThatIsOpeningItsFileLeavesNothing(_ name: FileFailure.Call, isNamed: Bool) async throws {
        let end = AttemptEnd()
        let earlier = isNamed ? client(of: "carol") : client(token: "carol")
        try await cut(of: earlier)
        let client = earlier.with { $0.interceptors = [end] }
        let later = try copyOfTheFolder()
        let opening = BlockedCall(name)
        let call = DownloadFiles.$fault.withValue({ name, _, _ in opening.block(name) }) {
            GetFile(of: client, to: .folder(later, permissions: 0o600)).start()
        }
        try await opening.hasBegun.promise.value
        try await client.signOut()
        opening.end()
        #expect(try #require(await refusal(of: call.promise)).code == .signedOut)
        try await end.hasCome.promise.value
        #expect(try FileManager.default.contentsOfDirectory(atPath: later.path).isEmpty)
    }

    @Test func partialFileWithoutAUserEndsWithItsClient() async throws {
        let (one, other) = (client(token: "alice"), client(token: "bob"))
        try await cut(of: one)
        try await other.signOut()
        #expect(place.names.count == 2)
        try await one.signOut()
        #expect(place.names.isEmpty)
    }

    /// The folder was used by an earlier process only.
    @Test func nextDownloadOfAFolderRemovesWhatIsLeft() async throws {
        let alice = client(of: "alice")
        try await cut(of: alice)
        let later = try copyOfTheFolder()
        try await alice.signOut()
        let bob = GetFile(of: client(of: "bob"), to: .folder(later))
        _ = try await bob.start().value
        #expect(try FileManager.default.contentsOfDirectory(atPath: later.path) == ["film.mp4"])
    }

    @Test func folderThatCannotBeChangedIsReported() async throws {
        let alice = client(of: "alice")
        try await cut(of: alice)
        let manager = FileManager.default
        try manager.setAttributes([.posixPermissions: 0o500], ofItemAtPath: place.files.url.path)
        defer { try? manager.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.files.url.path) }
        // The superuser may change every folder.
        guard !manager.isWritableFile(atPath: place.files.url.path) else { return }
        let error = try #require(await refusal(of: { try await alice.signOut() }))
        #expect(error.code == .cannotWriteFile)
    }

    // MARK: Age

    @Test func abandonedPartialFilesAreRemoved() async throws {
        let day = 86_400.0
        func make(_ name: String, days: Double) throws {
            let url = try place.files.file(name, Data("old".utf8))
            let date = Date().addingTimeInterval(-days * day)
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: url.path)
        }
        let (old, young, other) = (
            ".tango-" + String(repeating: "0", count: 32), ".tango-" + String(repeating: "a", count: 32),
            ".tango-" + UUID().uuidString
        )
        for (name, days) in [(old, 31.0), (young, 29), (other, 31), ("notes", 31)] { try make(name, days: days) }
        for name in [old, young] { try make(name + ".resume", days: 31) }
        try make(".tango-\(String(repeating: "b", count: 32)).new", days: 31)
        _ = try await place.getIntoFolder().start().value
        #expect(Set(place.names) == [young, young + ".resume", other, "notes", "film.mp4"])
    }

    @Test func oldPartialFileIsResumedFirst() async throws {
        try await cut(of: place.client)
        for name in place.names {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 0)],
                ofItemAtPath: place.files.url.appendingPathComponent(name).path)
        }
        #expect(try await place.getIntoFolder().start().value.resumedFrom > 0)
        #expect(place.names == ["film.mp4"])
    }
}
