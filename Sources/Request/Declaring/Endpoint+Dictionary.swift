// A dictionary in place of a query, for a variable: a literal is a `Query`, which keeps its order. The functions are
// disfavoured and generic, so that it stays one: the compiler would favour a parameter that is a dictionary. Those with a body have no such overload, because each doubles the time that the compiler
// takes for a mistake in the literal of the body: `Query(dictionary)` is for them.

extension Endpoint {
    /// A `GET` whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func get(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .get(path, query: Query(query), headers: headers)
    }

    /// A `HEAD` whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func head(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .head(path, query: Query(query), headers: headers)
    }

    /// A `DELETE` without a body, whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func delete(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .delete(path, query: Query(query), headers: headers)
    }

    /// An `OPTIONS` whose query is a dictionary, sorted by name: see ``Query``.
    @_disfavoredOverload
    public static func options(_ path: String, query: [String: some Any], headers: Headers = [:]) -> Endpoint {
        .options(path, query: Query(query), headers: headers)
    }
}
