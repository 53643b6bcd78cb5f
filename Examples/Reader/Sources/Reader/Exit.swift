import Foundation
import Tango
import TangoAuth

/// The statuses with which the program ends, for scripts.
enum Exit: Int32 {
    case success = 0
    case failure = 1
    case usage = 2
    /// The server cannot be reached, and the response is not on this disk.
    case unreachable = 3
    case signInRequired = 4

    /// Says what went wrong, and returns how the program ends.
    static func after(_ error: any Error, options: Options) -> Exit {
        switch error {
        case OAuthError.Code.invalidGrant:
            say("reader: the name or the password is wrong")
            return .signInRequired
        case RequestError.Code.signInRequired, RequestError.Code.signedOut:
            say("reader: sign in first, with: reader sign-in NAME")
            return .signInRequired
        case let error as RequestError where options.isOffline && error.response?.status == .gatewayTimeout:
            say("reader: this is not on the disk yet: try again without --offline")
            return .unreachable
        case let error as RequestError:
            say("reader: \(error.message)")
            if options.explains { say("\(error)") }
            return connecting.contains(error.code) ? .unreachable : .failure
        default:
            say("reader: \(error)")
            return .failure
        }
    }

    /// The codes of errors for which no server has sent a response.
    private static let connecting: Set<RequestError.Code> = [
        .offline, .hostNotFound, .cannotConnect, .connectTimedOut, .connectionLost,
    ]
}
