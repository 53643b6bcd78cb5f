import Synchronization

/// The file of a call that downloads, with what its attempts have in common.
final class DownloadRun: Sendable {
    private struct State {
        var file: PartialFile?
        var resource: String?
        /// The folders of the client, and its departures before the file was opened.
        var folders: (all: DownloadFolders, departures: Int)?
        var isResumable = true
        var resumedFrom: Int?
        /// The offset at which the last body began, and the most bytes that were on the disk after an earlier attempt.
        var began = 0
        var reached = 0
        var isAttempting = false
        var isEnded = false
        /// A Boolean value that indicates whether the server has contradicted itself about parts of the file.
        var isSingle = false
    }

    let plan: DownloadPlan
    private let identity: Identity
    private let state = Mutex(State())

    /// The number of bytes after which an attempt has made progress, so that the next one counts as the first.
    static let progress = 1 << 20

    init(_ plan: DownloadPlan, of identity: Identity) {
        self.plan = plan
        self.identity = identity
    }

    /// Begins an attempt, unless another one is in flight. The attempts of a call write to one file.
    func beginAttempt() -> Bool {
        state.withLock { state in
            defer { state.isAttempting = true }
            return !state.isAttempting
        }
    }

    func endAttempt() {
        state.withLock { $0.isAttempting = false }
    }

    /// Opens the file, unless an earlier attempt has left it open, and returns it with what is on the disk.
    ///
    /// - Parameters:
    ///   - declared: The request of the call, which identifies the file.
    ///   - request: The request that is sent, with the credentials of a call without an identity.
    ///   - client: The client of the call.
    func open(
        for declared: HTTPRequest, sentAs request: HTTPRequest, by client: Client
    ) throws -> (file: PartialFile, resource: String) {
        if let problem = plan.checksum?.problem ?? plan.parts.problem {
            throw RequestError(.badPolicy, phase: .prepare, detail: problem)
        }
        // Read before the check of the end: a sign-out ends the call first.
        let folders = (all: client.parts.downloadFolders, departures: client.parts.downloadFolders.departures)
        let (opened, known, isEnded) = state.withLock { ($0.file, $0.resource, $0.isEnded) }
        guard !isEnded else { throw CancellationError() }
        let resource =
            known ?? plan.resource(of: declared, for: identity.digest ?? Credentials.digest(of: request.headers))
        if let opened, opened.isOpen { return (opened, resource) }
        let path = try plan.partialPath(of: resource)
        PartialFiles.note(folderOf: path, client)
        guard let file = try PartialFile(path, permissions: plan.destination.permissions) else {
            throw DownloadPlan.inUse(plan.destination)
        }
        try file.claim(for: identity.digest)
        let isLate = state.withLock { state in
            guard !state.isEnded else { return true }
            state.file = file
            state.resource = resource
            state.folders = folders
            state.reached = max(state.reached, file.count)
            PartialFiles.enter(identity)
            return false
        }
        // The call was cancelled meanwhile, or its user has signed out.
        guard !isLate else {
            file.close()
            leave(file, folders)
            throw CancellationError()
        }
        PartialFiles.tidy(folderOf: path, client)
        return (file, resource)
    }

    /// The parts in which the next attempt may load the file.
    var parts: DownloadParts { state.withLock(\.isSingle) ? .one : plan.parts }

    /// Loads the file over one connection from now on.
    func endParts() {
        state.withLock { $0.isSingle = true }
    }

    /// The digest of the user, for the record; nil if the calls of the client have none.
    var owner: String? { identity.digest }

    /// Notes that the body of a response begins at an offset.
    func begin(at offset: Int, isResumable: Bool) {
        state.withLock { state in
            state.isResumable = isResumable
            state.began = offset
            if state.resumedFrom == nil { state.reached = offset }
            if state.resumedFrom == nil || offset == 0 { state.resumedFrom = offset }
        }
    }

    /// The number of bytes that were on the disk before the call.
    var resumedFrom: Int { state.withLock(\.resumedFrom) ?? 0 }

    /// Returns whether the last attempt has added many bytes that no attempt had before, and that the next one can build on.
    func takeProgress() -> Bool {
        guard let file = state.withLock(\.file), file.isOpen else { return false }
        let count = file.count
        return state.withLock { state in
            let added = count - max(state.began, state.reached)
            state.reached = max(state.reached, count)
            return state.isResumable && added >= Self.progress
        }
    }

    /// Ends the download with its call. What cannot be resumed is removed.
    func end() {
        let (file, isResumable, folders) = state.withLock { state in
            state.isEnded = true
            return (replace(&state.file, with: nil), state.isResumable, state.folders)
        }
        guard let file, let folders else { return }
        if isResumable { file.close() } else { file.discard() }
        leave(file, folders)
    }

    /// Leaves the file, which is closed.
    private func leave(_ file: PartialFile, _ folders: (all: DownloadFolders, departures: Int)) {
        PartialFiles.leave(file.path, identity, hasLeft: folders.all.departures != folders.departures)
    }
}
