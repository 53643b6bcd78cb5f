// Messages for mistakes whose errors would be about something else. The compiler considers unavailable functions only for code
// that does not compile, so they cost no time elsewhere.

extension Client {
    // Without it, the error is about HTTPRequest.
    @available(*, unavailable, message: "a declared request has a client already: write `request.promise`")
    public func send<Output: Sendable>(_ request: Request<Output>) async throws -> Output {
        try await request.promise.value
    }
}

extension Serializer {
    // Without it, the error is about the constraints of an extension.
    @available(
        *, unavailable,
        message: "the output is not Decodable: conform it, or write `Serializer { response in … }`"
    )
    public static var json: Self { .default }
}

extension Body {
    // Without it, the error is about JSONLiteral.
    @available(
        *, unavailable,
        message: "a dictionary of `Any` is not Encodable: write `.json([…])` with a literal, or encode a struct"
    )
    public static func json(_ dictionary: [String: Any]) -> Body {
        .none
    }

    // Without it, the error is about JSONLiteral, too.
    @available(
        *, unavailable, message: "the value is not Encodable: conform its type to Encodable and Sendable"
    )
    public static func json<Value>(_ value: Value) -> Body {
        .none
    }
}

// There is none for `catch(on: .main)`: it would make mistakes in long chains take too long to compile.
extension Promise {
    // Without it, the error is that `any Error` has no such member.
    @available(
        *, unavailable,
        message: "the error is `any Error`: write `.catch(RequestError.self) { … }`, or use `error.asRequestError`"
    )
    @discardableResult
    public func `catch`(
        policy: CatchPolicy = .errors, _ body: @escaping @Sendable (RequestError) throws -> Void
    ) -> Promise {
        `catch`(RequestError.self, body)
    }
}

// Calls whose output has no type. Without these functions, the errors are about `String` and `Client`, or the compiler asks for a
// bug report. `head` and `options` have none: few calls use them.

@available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
extension Client {
    public func request(_ endpoint: Endpoint) -> Promise<_UnknownOutput> {
        request(endpoint, as: _UnknownOutput.self)
    }
    public func get(
        _ path: String, query: Query = [:], headers: Headers = [:]
    ) -> Promise<_UnknownOutput> { request(.get(path)) }
    public func post(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.post(path)) }
    public func put(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.put(path)) }
    public func patch(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.patch(path)) }
    public func delete(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.delete(path)) }
}

@available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
extension Client {
    public static func request(_ endpoint: Endpoint) -> Promise<_UnknownOutput> {
        request(endpoint, as: _UnknownOutput.self)
    }
    public static func get(
        _ path: String, query: Query = [:], headers: Headers = [:]
    ) -> Promise<_UnknownOutput> { request(.get(path)) }
    public static func post(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.post(path)) }
    public static func put(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.put(path)) }
    public static func patch(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.patch(path)) }
    public static func delete(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> { request(.delete(path)) }
}

/// The output of a call whose output has no type. It occurs only in code that does not compile. It has every property, so
/// that there is no second error about a property.
@dynamicMemberLookup
public struct _UnknownOutput: Sendable {
    public subscript(dynamicMember name: String) -> _UnknownOutput { self }
}
