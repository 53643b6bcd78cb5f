/// A response whose bytes are encoded once, for all requests.
final class PreparedAnswer: Sendable {
    let answer: Answer
    /// The bytes for a GET that leaves the connection open; nil if the response has no simple form.
    let simple: Block?
    /// The same for a HEAD.
    let simpleHead: Block?

    init(_ answer: Answer) {
        self.answer = answer
        simple = AnswerEncoder(answer: answer).simple
        simpleHead = simple == nil ? nil : AnswerEncoder(answer: answer, asked: .init(isHead: true)).simple
    }
}
