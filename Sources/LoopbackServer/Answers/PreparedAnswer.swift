/// An answer with its bytes made beforehand, for all the times it is given.
final class PreparedAnswer: Sendable {
    let answer: Answer
    /// The bytes for a GET that keeps its connection, if the answer is nothing but bytes.
    let simple: Block?
    /// The same for a HEAD.
    let simpleHead: Block?

    init(_ answer: Answer) {
        self.answer = answer
        simple = AnswerEncoder(answer: answer).simple
        simpleHead = simple == nil ? nil : AnswerEncoder(answer: answer, asked: .init(isHead: true)).simple
    }
}
