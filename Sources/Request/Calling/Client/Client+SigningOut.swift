extension Client {
    /// Signs the user out.
    ///
    /// It forgets and revokes the credentials of `Configuration.authenticator`, and ends the calls of the user. It removes
    /// the cookies and the user's cached responses, in memory and on disk. It also removes the partial files of the user's
    /// downloads, in all folders to which this process has downloaded, and cancels the user's background transfers. This
    /// concerns all clients that have the user, because they share the authenticator or the cookies.
    ///
    /// Calls of the user that are in flight fail with ``RequestError/Code/signedOut``. Their responses are neither cached nor
    /// delivered. Later calls belong to a new user, whom none of the responses before are served to.
    ///
    /// Everything on this device is done, even if the function throws because the server has not revoked the credentials,
    /// and even if the caller's task is cancelled. When it returns without an error, tokens and cookies have left their
    /// files. If another process has locked a file for too long, the function throws, and the rest is done.
    public func signOut() async throws {
        try await Task { try await endSession() }.value
    }

    private func endSession() async throws {
        let own = identity.all.map { ClientUser(client: parts, identity: $0) }
        // A name from the configuration may be that of another user at another server.
        let name = configuration.identity == nil ? own[0].identity.name : nil
        var others = name.map(ClientUser.all(named:)) ?? []
        let features = configuration.features.all
        for feature in features { others += feature.usersElsewhere() }
        let users = own + others.filter { $0.client !== parts }
        for user in users { user.leave() }
        var failures: [any Error] = []
        for feature in features {
            do { try await feature.endSession(of: self) } catch { failures.append(error) }
        }
        // Calls that started before the credentials were forgotten, and what they have brought.
        for user in users { user.leave() }
        failures += await ClientUser.end(users, .signedOut)
        try failures.check()
    }
}

extension RequestError {
    /// The error of a call whose user has signed out meanwhile.
    package static var signedOut: RequestError {
        RequestError(
            .signedOut, phase: .prepare,
            detail: "the user has signed out since the call was started: start it again for the new user")
    }
}

extension [any Error] {
    /// Throws the first error, and reports the others.
    package func check() throws {
        guard let first else { return }
        for error in dropFirst() { RequestDiagnostics.report("a further part of the sign-out has failed: \(error)") }
        throw first
    }
}
