extension RequestError {
    /// The error of a call whose user has to sign in first. A ``TokenSource`` throws it if it has nothing to get a token
    /// with.
    public static var signInRequired: RequestError {
        RequestError(
            .signInRequired, phase: .prepare,
            detail: "there is no token, and nothing to get one with: let the user sign in")
    }

    /// The error of a sign-in that another sign-in or sign-out has superseded.
    static var superseded: RequestError {
        RequestError(
            .signedOut, phase: .prepare,
            detail:
                "another sign-in or sign-out has begun meanwhile, so the token was not used: sign in again if it should"
        )
    }

    static func noToken(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        if let error = error as? RequestError, [.signInRequired, .signedOut, .shutDown].contains(error.code) {
            return error
        }
        return RequestError(
            .authenticationFailed, phase: .prepare,
            detail: "the token that the request needs could not be had: see the underlying error", underlying: error)
    }

    /// The error of a call whose user was signed out because the token cannot be renewed.
    static func signInAgain(_ error: any Error) -> RequestError {
        RequestError(
            .signInRequired, phase: .prepare,
            detail: "the token cannot be renewed: let the user sign in again", underlying: error)
    }
}
