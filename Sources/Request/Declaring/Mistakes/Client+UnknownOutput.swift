// Messages for calls whose output has no type. Without them, the errors are about `String` and `Client`, or the compiler asks
// for a bug report. The compiler considers unavailable functions only for code that does not compile, so they cost no time
// elsewhere. `head` and `options` have none: few calls use them.

extension Client {
    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public func request(_ endpoint: Endpoint) -> Promise<_UnknownOutput> {
        request(endpoint, as: _UnknownOutput.self)
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public func get(
        _ path: String, query: Query = [:], headers: Headers = [:]
    ) -> Promise<_UnknownOutput> {
        request(.get(path, query: query, headers: headers))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public func post(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.post(path, query: query, headers: headers, body: body))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public func put(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.put(path, query: query, headers: headers, body: body))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public func patch(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.patch(path, query: query, headers: headers, body: body))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public func delete(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.delete(path, query: query, headers: headers, body: body))
    }
}

extension Client {
    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public static func request(_ endpoint: Endpoint) -> Promise<_UnknownOutput> {
        request(endpoint, as: _UnknownOutput.self)
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public static func get(
        _ path: String, query: Query = [:], headers: Headers = [:]
    ) -> Promise<_UnknownOutput> {
        request(.get(path, query: query, headers: headers))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public static func post(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.post(path, query: query, headers: headers, body: body))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public static func put(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.put(path, query: query, headers: headers, body: body))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public static func patch(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.patch(path, query: query, headers: headers, body: body))
    }

    @available(*, unavailable, message: "name the type of the output: `as: User.self`, or `as: Void.self` for none")
    public static func delete(
        _ path: String, query: Query = [:], headers: Headers = [:], body: Body = .none
    ) -> Promise<_UnknownOutput> {
        request(.delete(path, query: query, headers: headers, body: body))
    }
}

/// The output of a call whose output has no type. It occurs only in code that does not compile. It has every property, so
/// that there is no second error about a property.
@dynamicMemberLookup
public struct _UnknownOutput: Sendable {
    public subscript(dynamicMember name: String) -> _UnknownOutput { self }
}
