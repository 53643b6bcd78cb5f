/// Compares the bytes of a streamed request body with the length that the stream announced.
struct AnnouncedLength {
    private let announced: Int
    private var total = 0

    init(_ announced: Int) {
        self.announced = announced
    }

    /// A Boolean value that indicates whether all announced bytes have been added.
    var isReached: Bool { total == announced }

    mutating func add(_ count: Int) throws(RequestError) {
        total += count
        if total > announced {
            throw .badBody("the stream has more bytes than its length of \(announced): correct the length, or omit it")
        }
    }

    func end() throws(RequestError) {
        if total < announced {
            throw .badBody("the stream ended after \(total) of \(announced) bytes: correct its length, or omit it")
        }
    }
}

extension RequestError {
    package static func badBody(_ detail: String, underlying: (any Error)? = nil) -> RequestError {
        RequestError(.badBody, phase: .send, detail: detail, underlying: underlying)
    }

    /// The error of a request whose body stream has thrown an error.
    package static func badBody(_ error: any Error) -> RequestError {
        error as? RequestError ?? .badBody("the stream of the body threw an error: check the stream", underlying: error)
    }
}
