import Synchronization

/// The state that the thread of the server shares with its users.
final class Core: Sendable {
    let script = Mutex(Script())
    let record: Watched<Record>
    let mailbox: Mailbox
    let bodies: LoopbackServer.BodyRecording

    init(_ recording: LoopbackServer.Recording, _ bodies: LoopbackServer.BodyRecording, _ wakeup: Wakeup) {
        record = Watched(Record(limit: recording.limit))
        mailbox = Mailbox(wakeup)
        self.bodies = bodies
    }
}
