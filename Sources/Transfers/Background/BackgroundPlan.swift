extension BackgroundPolicy {
    /// A ``Download`` without a body, and an upload whose body is a file, go on in a background `URLSession`, even if
    /// the system ends the application. Other requests act as `finish`.
    ///
    /// - Parameter identifier: The name of the session, such as `com.example.films`. It stays the same in all versions
    ///   of the application. Pass it to ``BackgroundTransfers/resume(_:)`` when the application is launched.
    public static func session(_ identifier: String) -> BackgroundPolicy {
        session(identifier) { endpoint, feature, client, isStreaming in
            guard TransferPlatform.replaces(client.configuration.transport),
                let kind = BackgroundPlan.kind(
                    of: endpoint.body, isDownload: feature is DownloadPlan, isWhole: !isStreaming),
                let session = TransferSession.of(identifier)
            else { return nil }
            return BackgroundPlan(kind: kind, session: session)
        }
    }
}

/// The transfer of a call by the system.
struct BackgroundPlan: CallCarrier {
    enum Kind: Hashable, Sendable {
        case download
        case upload(URL)
    }

    let kind: Kind
    let session: TransferSession

    func transport(of core: CallCore) -> any Transport { BackgroundTransport(background: self, core: core) }

    /// Returns the kind of transfer; nil if the system cannot make it.
    static func kind(of body: Body, isDownload: Bool, isWhole: Bool) -> Kind? {
        // The system sends files as they are.
        if body.isToBeCompressed { return nil }
        return switch body.content {
        case .none where isDownload: .download
        case .file(let url) where !isDownload && isWhole: .upload(url)
        case .none, .data, .file, .stream: nil
        }
    }
}

/// The transport of one call whose transfer the system makes.
struct BackgroundTransport: Transport {
    let background: BackgroundPlan
    let core: CallCore

    var capabilities: TransportCapabilities { [.tls, .http2, .http3] }

    func start(
        _ request: HTTPRequest, options: TransportOptions, completion: @escaping TransportCompletion
    ) -> TransportTask {
        // An interceptor may have made another request.
        let kind = BackgroundPlan.kind(
            of: request.body, isDownload: background.kind == .download, isWhole: true)
        guard let kind, refusal(of: request, options) == nil else {
            let refusal = refusal(of: request, options) ?? Self.badBody(request)
            completion { throw refusal }
            return .completed
        }
        let call = TransferCall(kind, request, core, completion)
        let task = Task(executorPreference: IO.executor) { await background.session.start(call) }
        return TransportTask {
            task.cancel()
            call.cancel()
        }
    }

    private func refusal(of request: HTTPRequest, _ options: TransportOptions) -> RequestError? {
        do throws(RequestError) {
            let server = try capabilities.server(of: request, options: options)
            try ServerCheck.pass(request, to: server, options: options)
        } catch {
            return error
        }
        guard core.plan.redirectPolicy.rule == .follow else {
            return RequestError(
                .unsupported, phase: .prepare,
                detail: "in the background, the system follows redirects by itself: use RedirectPolicy.follow, or "
                    + "BackgroundPolicy.finish",
                request: request)
        }
        return nil
    }

    private static func badBody(_ request: HTTPRequest) -> RequestError {
        RequestError(
            .unsupported, phase: .prepare,
            detail: "an interceptor has replaced the body of a background transfer: leave the file as it is, or use "
                + "BackgroundPolicy.finish",
            request: request)
    }

    func shutdown() async {}
}
