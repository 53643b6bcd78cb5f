import Synchronization

/// The reason why a user was signed out: see ``TokenAuthenticator/signOuts``.
public enum SignOutCause: Sendable {
    /// The application has called `Client.signOut()`.
    case requested
    /// Another user has signed in with ``TokenAuthenticator/signIn(_:)``.
    case replaced
    /// The token cannot be renewed, because the server rejects the refresh token or the password.
    case rejected(RequestError)
    /// The token has left the store: another process, or another authenticator, has signed the user out.
    case elsewhere
}

extension SignOutCause {
    var error: RequestError {
        if case .rejected(let error) = self { error } else { .signedOut }
    }
}

/// The sequences that report sign-outs.
final class SignOutReports: Sendable {
    private struct State {
        var followers: [Int: AsyncStream<SignOutCause>.Continuation] = [:]
        var last = 0
    }

    private let state = Mutex(State())

    /// A new sequence, with the sign-outs from now on.
    var values: AsyncStream<SignOutCause> {
        let (stream, continuation) = AsyncStream.makeStream(of: SignOutCause.self)
        let number = state.withLock { state in
            state.last += 1
            state.followers[state.last] = continuation
            return state.last
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
        }
        return stream
    }

    deinit {
        for follower in state.withLock({ $0.followers.values.map(\.self) }) { follower.finish() }
    }

    func report(_ cause: SignOutCause) {
        for follower in state.withLock({ $0.followers.values.map(\.self) }) { follower.yield(cause) }
    }
}
