import Foundation
import Testing

/// An error of some kind, with a check that it was passed on unchanged.
struct ErrorSample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: any Error
    let isSame: @Sendable (any Error) -> Bool

    private init<Failure: Error>(_ name: String, _ error: Failure, _ isSame: @escaping @Sendable (Failure) -> Bool) {
        testDescription = name
        self.error = error
        self.isSame = { ($0 as? Failure).map(isSame) ?? false }
    }

    private init(_ name: String, _ error: some Error & Equatable) {
        self.init(name, error) { $0 == error }
    }

    static let all: [ErrorSample] = {
        let object = ObjectError()
        return [
            ErrorSample("an empty enum case", PlainError.second),
            ErrorSample("an enum with a payload", PayloadError.code(404, "gone")),
            ErrorSample("a struct", Oops("struct")),
            ErrorSample("a struct without fields", EmptyError()),
            ErrorSample("a struct of ten words", WideError()),
            ErrorSample("an object", object) { $0 === object },
            ErrorSample("an optional that is nil", OptionalError(code: nil)),
            ErrorSample("an optional that is not", OptionalError(code: .some(7))),
            ErrorSample("an error in an error", WrappingError(cause: object)) { $0.cause as? ObjectError === object },
            ErrorSample("a generic error", GenericError(content: ["a", "b"])),
            ErrorSample("an NSError", NSError(domain: "Tests", code: 7)) { $0.domain == "Tests" && $0.code == 7 },
        ]
    }()
}

private enum PlainError: Error {
    case first, second
}

private enum PayloadError: Error, Equatable {
    case code(Int, String)
}

private struct EmptyError: Error, Equatable {}

private struct WideError: Error, Equatable {
    var words: [Int] = Array(0..<3)
    var a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, i = 9
}

private final class ObjectError: Error {}

private struct OptionalError: Error, Equatable {
    let code: Int?
}

private struct WrappingError: Error {
    let cause: any Error
}

private struct GenericError<Content: Equatable & Sendable>: Error, Equatable {
    let content: [Content]
}
