extension Client {
    /// Signs the user out.
    ///
    /// It forgets and revokes the credentials of ``Configuration/authenticator``, and ends the calls of the user. It removes
    /// the cookies, and the user's responses in the cache of this client, in memory and on disk. It also removes the partial
    /// files of the user's downloads in all folders to which this process has downloaded.
    ///
    /// Calls of the user that are in flight fail with ``RequestError/Code/signedOut``, also those of other clients with the
    /// same authenticator. Their responses are neither cached nor delivered. Later calls belong to a new user, whom
    /// none of the responses before are served to.
    ///
    /// Everything on this device is done, even if the function throws because the server has not revoked the credentials,
    /// and even if the caller's task is cancelled.
    public func signOut() async throws {
        try await Task { try await endSession() }.value
    }

    private func endSession() async throws {
        let old = identity.current
        endCalls(of: old)
        configuration.cookies.jar?.removeAll()
        var problem: (any Error)?
        do {
            try await configuration.authenticator?.signOut(context: AuthenticationContext(client: self))
        } catch {
            problem = error
        }
        // Calls that started before the credentials were forgotten.
        endCalls(of: old)
        do { try await removePartialFiles(of: old) } catch { problem = problem ?? error }
        try await removeCachedResponses(of: old)
        if let problem { throw problem }
    }

    /// Ends the calls of a user who was signed out with the reason, and removes the cached responses.
    func forget(_ identity: Identity, _ reason: RequestError) async {
        endCalls(of: identity, reason)
        do {
            try await removePartialFiles(of: identity)
        } catch {
            RequestDiagnostics.report("partial files of a user who has signed out could not be removed: \(error)")
        }
        do {
            try await removeCachedResponses(of: identity)
        } catch {
            RequestDiagnostics.report("cached responses of a user who has signed out could not be removed: \(error)")
        }
    }

    private func endCalls(of identity: Identity, _ reason: RequestError = .signedOut) {
        changes.note([place(of: identity)])
        // Without a name, only the calls of this client certainly belong to the user.
        let calls = identity.name == nil ? registry.all : LiveRegistries.all.flatMap(\.all)
        for call in calls where call.plan.identity.isNamed(identity.name) {
            call.end(call.complete(reason), as: .failure)
        }
    }
}
