extension Request {
    /// Returns the `curl` command that sends the request, for a shell, as far as it is known before it is sent: without
    /// the changes of interceptors.
    ///
    /// ```swift
    /// print(try GetUser(id: 1).curlCommand())
    /// ```
    ///
    /// - Parameter showingSecrets: A Boolean value that indicates whether the command contains credentials.
    /// - Throws: A ``RequestError`` if the request cannot be sent.
    public func curlCommand(showingSecrets: Bool = false) throws -> String {
        try prepared().curlCommand(showingSecrets: showingSecrets)
    }

    /// Returns the message of the request as far as it is known before it is sent.
    package nonisolated final func prepared() throws -> HTTPRequest {
        try Plan(self).common.message()
    }
}
