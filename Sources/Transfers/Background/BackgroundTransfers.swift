import Synchronization

/// The background sessions of the application: see `BackgroundPolicy.session(_:)`.
public enum BackgroundTransfers {
    /// Resumes the transfers that earlier processes of the application have started.
    ///
    /// Call it when the application is launched, for each session. The files of downloads that have finished meanwhile
    /// are verified, and moved to their destinations. A call of the same ``Download`` then waits for its transfer, or
    /// gets its file at once. On Linux, it has no effect.
    public static func resume(_ identifier: String) {
        _ = TransferSession.of(identifier)
    }

    /// Resumes a session for which the system has launched the application in the background.
    ///
    /// Call it from `application(_:handleEventsForBackgroundURLSession:completionHandler:)`:
    ///
    /// ```swift
    /// @MainActor func handleEvents(of identifier: String, completionHandler: @escaping () -> Void) {
    ///     BackgroundTransfers.resume(identifier, completionHandler: completionHandler)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - identifier: The name of the session.
    ///   - completionHandler: The handler of the system. It runs once, when all events are processed and all files that
    ///     have arrived are at their destinations.
    @MainActor public static func resume(_ identifier: String, completionHandler: @escaping () -> Void) {
        guard let session = TransferSession.of(identifier) else { return completionHandler() }
        session.add(EventDelivery.Handler { completionHandler() })
    }
}

extension TransferSession {
    private static let sessions = Mutex<[String: TransferSession]>([:])

    /// The sessions of this process, by their names.
    static var all: [String: TransferSession] { sessions.withLock { $0 } }

    /// Returns the session with a name, which a process has once; nil if the system has none.
    static func of(_ identifier: String) -> TransferSession? {
        sessions.withLock { sessions in
            if let session = sessions[identifier] { return session }
            guard let system = TransferPlatform.system(identifier) else { return nil }
            let session = TransferSession(
                identifier, in: TransferFolder(path: TransferPlatform.folder(of: identifier)), system)
            sessions[identifier] = session
            return session
        }
    }

    /// Sets the session with a name, for a test.
    static func use(_ session: TransferSession?, as identifier: String) {
        let old = sessions.withLock { replace(&$0[identifier], with: session) }
        withExtendedLifetime(old) {}
    }
}
