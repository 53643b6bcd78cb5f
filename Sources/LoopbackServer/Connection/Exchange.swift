/// One request and its answer, as the steps that are left to do.
final class Exchange {
    let head: RequestHead?
    let headBytes: [UInt8]
    let asked: AnswerEncoder.Asked
    let place: RecordedRequest.Place
    var reader: BodyReader
    var steps: [Step]
    /// The step that is next.
    var at = 0
    var isRecorded = false
    var closes = false
    var stream: AnswerStream?
    var task: Task<Void, Never>?

    init(
        _ head: RequestHead, _ headBytes: [UInt8], _ asked: AnswerEncoder.Asked, _ place: RecordedRequest.Place,
        _ reader: BodyReader, _ steps: [Step]
    ) {
        self.head = head
        self.headBytes = headBytes
        self.asked = asked
        self.place = place
        self.reader = reader
        self.steps = steps
    }

    /// What happens to a connection that nothing was asked on yet.
    init(_ steps: [Step], _ place: RecordedRequest.Place) {
        head = nil
        headBytes = []
        asked = AnswerEncoder.Asked()
        self.place = place
        reader = BodyReader(RequestHead(), keeping: .none)
        self.steps = steps
        isRecorded = true
    }

    /// Puts steps where the current one was.
    func replaceStep(by next: [Step]) {
        steps = next + steps[(at + 1)...]
        at = 0
    }

    /// The request as far as it came.
    func request(_ problem: RecordedRequest.Problem? = nil) -> RecordedRequest {
        RecordedRequest(headBytes, head, reader.content, problem, place)
    }

    func cancel() {
        stream?.cancel()
        task?.cancel()
    }
}
