import TangoCache

/// Passes the responses and the end of a call to its recorders, on the thread of the call. They only note an exchange, and write
/// it later, so that no other thread is needed, and the call does not wait.
final class RecordingEvents: EventListener {
    private let recorders: [HARRecorder]

    init(_ recorders: [HARRecorder]) {
        self.recorders = recorders
    }

    let isRecording = true

    func attach(to core: CallCore) {}

    func tell(_ content: CallEvent.Content, of core: CallCore) {
        switch content.kind {
        case .response, .finished, .cache:
            let event = CallEvent(call: AnyCall(core), content)
            for recorder in recorders { recorder.observe(event) }
        default: break
        }
    }

    func tellFromTransport(_ content: CallEvent.Content) {}

    func afterEvents(_ work: @escaping @Sendable () -> Void) { work() }

    func willStore(_ entry: CacheEntry, of core: CallCore) -> CacheEntry? { entry }
}
