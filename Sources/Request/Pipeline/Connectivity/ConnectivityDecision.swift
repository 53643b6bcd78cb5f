/// The decisions about requests of a device without a network: pure functions of values.
enum ConnectivityDecision {
    /// The next step for a request.
    enum Step: Hashable, Sendable {
        /// Send the request.
        case send
        /// Wait for a network, then send the request.
        case wait
        /// Fail with the error of the attempt.
        case fail
    }

    /// The values that a decision after a failure depends on.
    struct Failure: Sendable {
        var code: RequestError.Code
        var phase = RequestError.Phase.connect
        var status: ConnectivityStatus
        /// A Boolean value that indicates whether the call may wait for a network.
        var waits = true
        var isReplayable = true
        /// A Boolean value that indicates whether the attempt followed another one at once, without a wait.
        var isResent = false
        /// A Boolean value that indicates whether the device got a network during the attempt.
        var hasChanged = false
    }

    /// Returns whether an error of the transport may be one of the device's network.
    static func concerns(_ code: RequestError.Code) -> Bool {
        switch code {
        case .offline, .hostNotFound, .cannotConnect: true
        default: false
        }
    }

    /// Returns whether an error of the transport means that the device is offline.
    static func isOffline(_ code: RequestError.Code, _ status: ConnectivityStatus) -> Bool {
        code == .offline || concerns(code) && status == .unavailable
    }

    /// Returns the step before the first attempt. If the status is unknown, the attempt shows whether there is a network.
    static func beforeSending(_ status: ConnectivityStatus) -> Step {
        status == .unavailable ? .wait : .send
    }

    /// Returns the step after an attempt has failed.
    ///
    /// The system may report a change later than an attempt fails. If the status is not unavailable, the request is
    /// therefore sent once more at once. If it fails again, it waits for the next change.
    static func after(_ failure: Failure) -> Step {
        guard failure.waits, failure.isReplayable, isOffline(failure.code, failure.status),
            failure.phase == .prepare || failure.phase == .connect
        else { return .fail }
        if failure.status == .unavailable { return .wait }
        return failure.isResent && !failure.hasChanged ? .wait : .send
    }
}
