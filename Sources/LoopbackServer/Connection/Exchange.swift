/// A request and its response, as a list of steps.
final class Exchange {
    let head: RequestHead?
    let headBytes: [UInt8]
    let asked: ResponseEncoder.Asked
    let place: RecordedRequest.Place
    var reader: BodyReader
    var steps: [Step]
    /// The index of the next step.
    var at = 0
    var isRecorded = false
    var closes = false
    var stream: ResponseStream?
    var task: Task<Void, Never>?

    init(
        _ head: RequestHead, _ headBytes: [UInt8], _ asked: ResponseEncoder.Asked, _ place: RecordedRequest.Place,
        _ reader: BodyReader, _ steps: [Step]
    ) {
        self.head = head
        self.headBytes = headBytes
        self.asked = asked
        self.place = place
        self.reader = reader
        self.steps = steps
    }

    /// Creates the exchange of a connection before its first request.
    init(_ steps: [Step], _ place: RecordedRequest.Place) {
        head = nil
        headBytes = []
        asked = ResponseEncoder.Asked()
        self.place = place
        reader = BodyReader(RequestHead(), keeping: .none)
        self.steps = steps
        isRecorded = true
    }

    /// Replaces the current step with others.
    func replaceStep(by next: [Step]) {
        steps = next + steps[(at + 1)...]
        at = 0
    }

    /// Returns the part of the request that was received.
    func request(_ problem: RecordedRequest.Problem? = nil) -> RecordedRequest {
        RecordedRequest(headBytes, head, reader.content, problem, place)
    }

    func cancel() {
        stream?.cancel()
        task?.cancel()
    }
}
