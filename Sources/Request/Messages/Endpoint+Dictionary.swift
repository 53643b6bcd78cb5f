// A dictionary in place of a query, for a variable. A literal stays a `Query`, which keeps its order: the functions are
// disfavoured and generic, because the compiler would favour a parameter that is a dictionary. Functions with a body have no
// such overload: each doubles the time that the compiler takes for a mistake in the literal of the body. They take
// `Query(dictionary)`.

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
