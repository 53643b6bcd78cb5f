/// Compares the bytes of a streamed request body with the length that the stream announced.
struct AnnouncedLength {
    private let announced: Int?
    private var total = 0

    init(_ announced: Int?) {
        self.announced = announced
    }

    mutating func add(_ count: Int) throws(RequestError) {
        total += count
        if let announced, total > announced {
            throw .badBody("the stream has more than the \(announced) bytes that it announced")
        }
    }

    func end() throws(RequestError) {
        if let announced, total < announced {
            throw .badBody("the stream ended after \(total) of the \(announced) bytes that it announced")
        }
    }
}

extension RequestError {
    static func badBody(_ detail: String, underlying: (any Error)? = nil) -> RequestError {
        RequestError(.badBody, phase: .send, detail: detail, underlying: underlying)
    }

    /// The error of a request whose body stream has thrown an error.
    static func badBody(_ error: any Error) -> RequestError {
        error as? RequestError ?? .badBody("the stream of the body failed: \(error)", underlying: error)
    }
}
