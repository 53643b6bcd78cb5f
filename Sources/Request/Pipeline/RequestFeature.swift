/// The addition of a class of requests to its calls, such as a download with its file. Its serializer names it: see
/// `Serializer.receiving`.
package protocol RequestFeature: BodyReceiver {
    /// Makes the part of a call, for the user that the call is made for.
    func part(of identity: Identity) -> any CallPart
}

/// The part of a call that belongs to the class of its request.
package protocol CallPart: AnyObject, Sendable {
    /// Makes an attempt. It stands below the retries, so that a body which breaks off is an attempt that failed.
    func attempt(_ request: HTTPRequest, context: CallContext, next: Next) async throws -> HTTPResponse

    /// Returns whether the last attempt has made progress on which the next one can build. That one counts as the first.
    func takeProgress() -> Bool

    /// Ends with the call.
    func end()
}

/// The maker of a call's transfer in place of the client's transport, which may outlive the process: a session of the system.
package protocol CallCarrier: Sendable {
    /// Returns the transport of one call.
    func transport(of core: CallCore) -> any Transport
}
