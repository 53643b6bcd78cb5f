import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The file of a call that downloads, with what its attempts have in common.
final class DownloadRun: Sendable {
    private struct State {
        var file: PartialFile?
        var resource = ""
        var isResumable = true
        var resumedFrom: Int?
        /// The bytes that the attempt in flight has added.
        var added = 0
        var isEnded = false
        /// A Boolean value that indicates whether the server has contradicted itself about parts of the file.
        var isSingle = false
    }

    let plan: DownloadPlan
    private let state = Mutex(State())

    /// The number of bytes after which an attempt has made progress, so that the next one counts as the first.
    static let progress = 1 << 20

    init(_ plan: DownloadPlan) {
        self.plan = plan
    }

    /// Opens the file at the first attempt, and returns it with what is on the disk.
    func open(for request: HTTPRequest) throws -> (file: PartialFile, resource: String) {
        if let problem = plan.checksum?.problem ?? plan.parts.problem {
            throw RequestError(.badPolicy, phase: .prepare, detail: problem)
        }
        let (opened, resource) = state.withLock { ($0.file, $0.resource) }
        if let opened { return (opened, resource) }
        let new = plan.resource(of: request)
        let path = try plan.partialPath(of: new)
        guard let file = try PartialFile(path, permissions: plan.destination.permissions) else {
            throw DownloadPlan.inUse(plan.destination)
        }
        let isEnded = state.withLock { state in
            guard !state.isEnded else { return true }
            state.file = file
            state.resource = new
            return false
        }
        // The call was cancelled meanwhile.
        guard !isEnded else { throw CancellationError() }
        return (file, new)
    }

    /// The parts in which the next attempt may load the file.
    var parts: DownloadParts { state.withLock(\.isSingle) ? .one : plan.parts }

    /// Loads the file over one connection from now on.
    func endParts() {
        state.withLock { $0.isSingle = true }
    }

    /// Notes that the body of a response begins at an offset.
    func begin(at offset: Int, isResumable: Bool) {
        state.withLock { state in
            state.isResumable = isResumable
            if state.resumedFrom == nil || offset == 0 { state.resumedFrom = offset }
        }
    }

    func added(_ count: Int) {
        state.withLock { $0.added += count }
    }

    /// The number of bytes that were on the disk before the call.
    var resumedFrom: Int { state.withLock(\.resumedFrom) ?? 0 }

    /// Returns whether the last attempt has added many bytes, once.
    func takeProgress() -> Bool {
        state.withLock { state in
            defer { state.added = 0 }
            return state.added >= Self.progress
        }
    }

    /// Ends the download with its call. What cannot be resumed is removed.
    func end() {
        let (file, isResumable) = state.withLock { state in
            state.isEnded = true
            return (replace(&state.file, with: nil), state.isResumable)
        }
        if isResumable { file?.close() } else { file?.discard() }
    }
}
