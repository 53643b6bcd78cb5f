// These overloads accept a variable that is a dictionary. A literal must stay a `Query`, which keeps its order. The
// compiler would prefer a dictionary parameter, so the functions are disfavoured and generic. Functions with a body
// have no such overload, because each doubles the time to compile a mistake in the literal of the body. They accept
// `Query(dictionary)`.

extension Endpoint {
    /// Creates a `GET` whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func get(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .get(path, query: Query(query), headers: headers)
    }

    /// Creates a `HEAD` whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func head(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .head(path, query: Query(query), headers: headers)
    }

    /// Creates a `DELETE` without a body, whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func delete(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .delete(path, query: Query(query), headers: headers)
    }

    /// Creates an `OPTIONS` whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func options(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .options(path, query: Query(query), headers: headers)
    }
}
