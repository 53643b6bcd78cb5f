/// The events that a socket is watched for.
struct Interest: OptionSet {
    let rawValue: UInt8

    static let reading = Interest(rawValue: 1)
    static let writing = Interest(rawValue: 2)
    /// The end of the client's side, while nothing is read.
    static let end = Interest(rawValue: 4)
}

/// The events that have occurred on a socket.
struct Readiness: OptionSet {
    let rawValue: UInt8

    static let reading = Readiness(rawValue: 1)
    static let writing = Readiness(rawValue: 2)
    static let end = Readiness(rawValue: 4)
    static let broken = Readiness(rawValue: 8)
}

/// An object that waits for events on many sockets.
protocol Poller: AnyObject {
    func add(_ descriptor: Int32, _ interest: Interest)
    func change(_ descriptor: Int32, to interest: Interest)
    /// Must be called before the descriptor is closed.
    func remove(_ descriptor: Int32)
    /// Waits for at most `milliseconds`, or without a limit if that is negative. Calls `body` for each ready socket.
    func wait(milliseconds: Int32, _ body: (Int32, Readiness) -> Void)
}
