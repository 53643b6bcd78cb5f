/// The beginning of a call, by what is known of its place: a pure function.
enum TransferStart: Hashable {
    case begin
    /// Waits for the transfer that an earlier process has started.
    case attach
    /// Verifies the file of an earlier process, and moves it to its destination.
    case finish
    /// Delivers the result of an earlier process, once.
    case take
    /// Cancels and forgets the transfer of an earlier process or of a call that has ended, and starts another.
    case replace
    /// Waits until the thread that finishes the transfer of an earlier process is done.
    case wait
    /// Fails, because a call of this process has the place.
    case refuse

    /// - Parameters:
    ///   - state: The state of the transfer with the same place; nil if there is none.
    ///   - isSame: A Boolean value that indicates whether the record is of the same request.
    ///   - isAttended: A Boolean value that indicates whether a call of this process waits for the transfer.
    ///   - isLeft: A Boolean value that indicates whether the transfer belongs to calls of this process that have ended.
    ///   - isBusy: A Boolean value that indicates whether a thread finishes the transfer.
    static func of(
        _ state: TransferState?, isSame: Bool, isAttended: Bool, isLeft: Bool, isBusy: Bool
    ) -> TransferStart {
        guard let state else { return .begin }
        if isAttended { return .refuse }
        if isBusy { return .wait }
        guard isSame, !isLeft else { return .replace }
        switch state {
        case .running: return .attach
        case .complete, .placed: return .finish
        case .finished: return .take
        case .lost, .expired: return .replace
        }
    }
}
