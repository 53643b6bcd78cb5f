/// The events that a socket is watched for, or that have occurred on it.
struct SocketEvents: OptionSet {
    let rawValue: UInt8

    static let reading = SocketEvents(rawValue: 1)
    static let writing = SocketEvents(rawValue: 2)
    /// The end of the client's side, while nothing is read.
    static let end = SocketEvents(rawValue: 4)
    /// It is reported even if nothing is watched for.
    static let broken = SocketEvents(rawValue: 8)
}

/// An object that waits for events on many sockets.
protocol Poller: AnyObject {
    func add(_ descriptor: Int32, _ interest: SocketEvents)
    func change(_ descriptor: Int32, to interest: SocketEvents)
    /// Must be called before the descriptor is closed.
    func remove(_ descriptor: Int32)
    /// Waits for at most `milliseconds`, or without a limit if that is negative. Calls `body` for each ready socket.
    func wait(milliseconds: Int32, _ body: (Int32, SocketEvents) -> Void)
}

/// A poller with poll, which every system has. Each wait checks all sockets.
final class PollPoller: Poller {
    private var watched: [pollfd] = []
    private var places: [Int32: Int] = [:]

    func add(_ descriptor: Int32, _ interest: SocketEvents) {
        places[descriptor] = watched.count
        watched.append(pollfd(fd: descriptor, events: Self.flags(interest), revents: 0))
    }

    func change(_ descriptor: Int32, to interest: SocketEvents) {
        guard let place = places[descriptor] else { return }
        watched[place].events = Self.flags(interest)
    }

    func remove(_ descriptor: Int32) {
        guard let place = places.removeValue(forKey: descriptor) else { return }
        watched.swapAt(place, watched.count - 1)
        watched.removeLast()
        if place < watched.count { places[watched[place].fd] = place }
    }

    func wait(milliseconds: Int32, _ body: (Int32, SocketEvents) -> Void) {
        let count = poll(&watched, nfds_t(watched.count), milliseconds)
        guard count > 0 else { return }
        // `body` may add and remove sockets; the loop runs over a copy.
        for entry in watched where entry.revents != 0 {
            let flags = Int32(entry.revents)
            var readiness: SocketEvents = []
            if flags & Int32(POLLIN) != 0 { readiness.insert(.reading) }
            if flags & Int32(POLLOUT) != 0 { readiness.insert(.writing) }
            #if os(Linux)
                if flags & 0x2000 != 0 { readiness.insert(.end) }
            #endif
            if flags & Int32(POLLERR | POLLHUP | POLLNVAL) != 0 { readiness.insert(.broken) }
            body(entry.fd, readiness)
        }
    }

    private static func flags(_ interest: SocketEvents) -> Int16 {
        var flags: Int32 = 0
        if interest.contains(.reading) { flags |= Int32(POLLIN) }
        if interest.contains(.writing) { flags |= Int32(POLLOUT) }
        #if os(Linux)
            // POLLRDHUP, which Swift does not import.
            if interest.contains(.end) { flags |= 0x2000 }
        #endif
        return Int16(truncatingIfNeeded: flags)
    }
}
