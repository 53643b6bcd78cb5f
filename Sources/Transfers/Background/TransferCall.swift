import Synchronization

/// A call that waits for a background transfer. It is settled once.
final class TransferCall: Sendable {
    private struct State {
        var completion: TransportCompletion?
        var cancelTransfer: (@Sendable () -> Void)?
        var isCancelled = false
    }

    let kind: BackgroundPlan.Kind
    let request: HTTPRequest
    let plan: CommonPlan
    let progress: TransportProgress
    private let core: CallCore
    private let state: Mutex<State>

    init(
        _ kind: BackgroundPlan.Kind, _ request: HTTPRequest, _ core: CallCore,
        _ completion: @escaping TransportCompletion
    ) {
        self.kind = kind
        self.request = request
        self.core = core
        plan = core.plan
        progress = core.transportProgress
        state = Mutex(State(completion: completion))
    }

    /// The digest of the user, for the record; nil if the calls of the client have none.
    var owner: String? { plan.identity.digest }

    /// The place that the call writes to, and the digest of its request and its user.
    func names() throws -> (place: String, resource: String) {
        let user = owner ?? Credentials.digest(of: request.headers)
        switch kind {
        case .download:
            guard let download = plan.feature as? DownloadPlan else { throw CancellationError() }
            if let problem = download.checksum?.problem {
                throw RequestError(.badPolicy, phase: .prepare, detail: problem, request: request)
            }
            let resource = download.resource(of: request, for: user)
            let path = StoredPath(try download.partialPath(of: resource))
            return (SHA256.hex("download \(path.text)".utf8), resource)
        case .upload(let url):
            // Another version of the file is another upload.
            guard url.isFileURL, let file = FileStatus(of: url.path), file.isRegular else {
                throw RequestError(
                    .badBody, phase: .prepare,
                    detail: "\(url.path.debugDescription) is not a file that can be read: check its path and its "
                        + "permissions", request: request)
            }
            let path = StoredPath(url.path).text
            let suffix = user.map { "\u{0}user \($0)" } ?? ""
            let digest = SHA256.hex(
                "upload\u{0}\(request.method)\u{0}\(request.url.absoluteString)\u{0}\(path)\u{0}\(file.version)\(suffix)"
                    .utf8)
            return (digest, digest)
        }
    }

    var goal: TransferRecord.Goal? {
        guard case .download = kind, let download = plan.feature as? DownloadPlan else { return nil }
        let (url, isFolder): (URL, Bool)
        switch download.destination.place {
        case .file(let file): (url, isFolder) = (file, false)
        case .folder(let folder): (url, isFolder) = (folder, true)
        case .undeclared: return nil
        }
        return TransferRecord.Goal(
            target: StoredPath(url.path), isFolder: isFolder, permissions: download.destination.permissions,
            checksum: download.checksum?.hexadecimal, limit: download.limit)
    }

    /// Sets the function that cancels the transfer. If the call was cancelled before, it runs at once.
    func attach(_ cancel: @escaping @Sendable () -> Void) {
        let isCancelled = state.withLock { state in
            if !state.isCancelled { state.cancelTransfer = cancel }
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    /// A Boolean value that indicates whether the call waits for its transfer.
    ///
    /// A call that has ended does not, even if the cancellation of its transfer is still on its way.
    var isWaiting: Bool { state.withLock { $0.completion != nil } && !core.phase.isFinished }

    func settle(_ response: @escaping @Sendable () throws -> HTTPResponse) {
        let completion = state.withLock { state in
            state.cancelTransfer = nil
            return replace(&state.completion, with: nil)
        }
        completion?(response)
    }

    func fail(_ error: any Error) {
        if let failure = error as? FileFailure { return fail(RequestError(failure)) }
        let failure = (error as? RequestError).map { $0.request == nil ? $0.with(request) : $0 }
        settle { throw failure ?? error }
    }

    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return replace(&state.cancelTransfer, with: nil)
        }
        cancel?()
        fail(CancellationError())
    }

    func accepts(_ response: HTTPResponse) -> Bool { plan.accepts(head: response) }
}
