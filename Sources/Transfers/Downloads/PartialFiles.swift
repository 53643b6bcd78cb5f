import Synchronization

/// The removal of partial files without a future: their user has signed out, or they are old.
///
/// A file that a download has open is locked, and stays. The functions block, apart from the one of the client.
enum PartialFiles {
    private struct State {
        /// The times at which folders were searched.
        var searches: [String: Double] = [:]
        /// The digests of users who have signed out, and have begun no download since.
        var signedOut: Set<String> = []
    }

    /// The age, in seconds, from which a partial file counts as abandoned: 30 days.
    private static let longestAge = 30 * 86_400.0
    /// The time, in seconds, after which a folder is searched again.
    private static let searchInterval = 3600.0

    private static let state = Mutex(State())
    /// The folders to which this process has downloaded.
    private static let folders = DownloadFolders()

    /// Takes part in sign-outs from now on, and learns of those before. It comes before the first download begins.
    static func takePartInSignOuts() {
        guard let users = Features.bring(Downloads()) else { return }
        state.withLock { $0.signedOut.formUnion(users) }
    }

    /// Notes the folder of a file before it is opened, so that no sign-out overlooks it.
    static func note(folderOf path: String, _ client: Client) {
        let folder = folder(of: path)
        folders.add(folder)
        client.parts.downloadFolders.add(folder)
    }

    /// Notes that a call has opened its file, before a sign-out can end the call.
    static func enter(_ identity: Identity) {
        guard let user = identity.digest else { return }
        state.withLock { state in _ = state.signedOut.remove(user) }
    }

    /// Removes what other downloads have left in the folder of a file.
    static func tidy(folderOf path: String, _ client: Client) {
        let folder = folder(of: path)
        let now = client.wallTime.seconds
        let (isDue, signedOut) = state.withLock { state in
            let isDue = state.searches[folder].map { abs(now - $0) >= searchInterval } ?? true
            if isDue {
                if state.searches.count >= 1000 { state.searches = [:] }
                state.searches[folder] = now
            }
            return (isDue, state.signedOut)
        }
        guard isDue, let others = try? paths(in: folder).subtracting([path]) else { return }
        for other in others where isAbandoned(other, now) || isLeft(other, by: signedOut) { try? remove(other) }
    }

    /// Notes that a call has left its file. It stays for the next download, unless the user has signed out meanwhile.
    ///
    /// - Parameter hasLeft: A Boolean value that indicates whether the client has signed out meanwhile, for a call without a
    ///   user.
    static func leave(_ path: String, _ identity: Identity, hasLeft: Bool) {
        let isOver = identity.digest.map { user in state.withLock { $0.signedOut.contains(user) } } ?? hasLeft
        guard isOver, isOwned(path, by: identity) else { return }
        try? remove(path)
    }

    /// Removes the partial files of a user in all folders to which this process has downloaded.
    ///
    /// Later downloads remove those that are in other folders.
    ///
    /// - Parameters:
    ///   - identity: The user. Files without a user are removed in the folders of the client only.
    ///   - client: The client that signs out.
    fileprivate static func remove(of identity: Identity, _ client: ClientParts) throws {
        if let user = identity.digest {
            state.withLock { state in
                state.signedOut.insert(user)
                // Each folder is due.
                state.searches = [:]
            }
        } else {
            client.downloadFolders.leave()
        }
        var failure: (any Error)?
        /// Goes on after a failure.
        func attempt(_ work: () throws -> Void) {
            do { try work() } catch { failure = failure ?? (error as? FileFailure).map(RequestError.init) ?? error }
        }
        for folder in (identity.digest == nil ? client.downloadFolders : folders).all {
            attempt {
                for path in try paths(in: folder) where isOwned(path, by: identity) { attempt { try remove(path) } }
            }
        }
        if let failure { throw failure }
    }

    // MARK: One folder

    private static func folder(of path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    /// Returns the paths of the partial files in a folder; none if it does not exist.
    private static func paths(in folder: String) throws -> Set<String> {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder)
        } catch {
            guard FileStatus(of: folder)?.isFolder == true else { return [] }
            throw RequestError(
                .cannotWriteFile, phase: .prepare,
                detail: "the partial files in \(folder.debugDescription) could not be listed: check its permissions",
                underlying: error)
        }
        let url = URL(fileURLWithPath: folder)
        return Set(names.compactMap(PartialFile.name(of:)).map { url.appendingPathComponent($0).path })
    }

    private static func isAbandoned(_ path: String, _ now: Double) -> Bool {
        let changed = PartialFile.paths(path).compactMap { FileStatus(of: $0, following: false)?.seconds }.max()
        return changed.map { now - Double($0) > longestAge } ?? false
    }

    private static func isOwned(_ path: String, by identity: Identity) -> Bool {
        guard let record = PartialFile.record(path) else { return false }
        return record.owner.hasSameBytes(as: identity.digest)
    }

    private static func isLeft(_ path: String, by users: Set<String>) -> Bool {
        guard !users.isEmpty, let user = PartialFile.record(path)?.owner else { return false }
        return users.contains(user)
    }

    private static func remove(_ path: String) throws {
        do {
            try PartialFile(path, permissions: nil)?.remove()
        } catch let failure as FileFailure where failure.isMissing {
            // The folder was removed meanwhile.
        }
    }
}

/// The folders to which downloads have written.
final class DownloadFolders: Sendable {
    private struct State {
        var folders: Set<String> = []
        var departures = 0
        /// The number of folders at which those that no longer exist are left out.
        var limit = 1000
    }

    private let state = Mutex(State())

    var all: Set<String> { state.withLock(\.folders) }

    /// The number of times that the client has removed the files without a user, because it has signed out.
    var departures: Int { state.withLock(\.departures) }

    func leave() {
        state.withLock { $0.departures += 1 }
    }

    func add(_ folder: String) {
        state.withLock { state in
            guard state.folders.insert(folder).inserted, state.folders.count > state.limit else { return }
            state.folders = state.folders.filter { FileStatus(of: $0)?.isFolder == true }
            state.limit = max(1000, 2 * state.folders.count)
        }
    }
}

extension ClientParts {
    /// The folders to which calls of the client have downloaded.
    var downloadFolders: DownloadFolders { value { DownloadFolders() } }
}

/// Downloads as a feature of all clients: the bytes of a user's downloads that have not ended go when the user signs out.
private struct Downloads: ClientFeature {
    func signOut(_ user: ClientUser) async throws {
        // A task of its own, because the caller's may be cancelled.
        try await Task(executorPreference: IO.executor) {
            try PartialFiles.remove(of: user.identity, user.client)
        }
        .value
    }
}
