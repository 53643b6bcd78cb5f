/// The number of bytes that may still pass in the current interval of a throttle.
struct Pace {
    private var throttle: Throttle?
    private var toRead = 0
    private var toWrite = 0
    private var isScheduled = false

    var canRead: Bool { throttle == nil || toRead > 0 }
    var canWrite: Bool { throttle == nil || toWrite > 0 }

    func readable(_ room: Int) -> Int { throttle == nil ? room : min(room, max(1, toRead)) }
    var writable: Int { throttle == nil ? .max : toWrite }

    mutating func set(_ throttle: Throttle?) {
        self.throttle = throttle
        toRead = throttle?.bytes ?? 0
        toWrite = throttle?.bytes ?? 0
    }

    mutating func didRead(_ count: Int) { toRead -= count }
    mutating func didWrite(_ count: Int) { toWrite -= count }

    /// Schedules the next interval if the bytes of this one are used up.
    mutating func schedule(_ connection: Connection) {
        guard let throttle, !isScheduled, toRead <= 0 || toWrite <= 0 else { return }
        isScheduled = true
        connection.loop.after(throttle.interval) { [weak connection] in
            guard let connection, !connection.isClosed else { return }
            connection.pace.refill()
            connection.turn = 0
            connection.work()
        }
    }

    private mutating func refill() {
        isScheduled = false
        guard let throttle else { return }
        toRead = throttle.bytes
        toWrite = throttle.bytes
    }
}
