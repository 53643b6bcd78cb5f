import Synchronization

/// What the server's thread and those who use the server share.
final class Core: Sendable {
    let script = Mutex(Script())
    let record: Watched<Record>
    let mailbox: Mailbox
    let bodies: LoopbackServer.BodyKeeping

    init(_ recording: LoopbackServer.Recording, _ bodies: LoopbackServer.BodyKeeping, _ wakeup: Wakeup) {
        record = Watched(Record(limit: recording.limit))
        mailbox = Mailbox(wakeup)
        self.bodies = bodies
    }
}
