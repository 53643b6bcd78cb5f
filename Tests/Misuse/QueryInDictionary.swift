// A query or a form in a variable that is a dictionary is told how to become a query.
import TangoPromise
import TangoRequest

struct User: Codable, Sendable { var id = 1 }

func send(client: Client, names: [String: String], values: [String: Any]) {
    client.get("/users", query: names, as: User.self).next { print($0) }  // error: a dictionary is not a query
    Client.get("/users", query: values, as: User.self).next { print($0) }  // error: a dictionary is not a query
    client.post("/users", query: names, body: .json(["id": 1]), as: User.self)  // error: a dictionary is not a query
    let deleted: Promise<Void> = Client.delete("/users", query: names)  // error: a dictionary is not a query
    print(deleted)
}

func post(names: [String: String]) -> Endpoint {
    .post("/users", query: names)  // error: a dictionary is not a query: write `query: Query(dictionary)`
}

func put(names: [String: String]) -> Endpoint {
    .put("/users", query: names, body: .json(["id": 1]))  // error: a dictionary is not a query
}

func trace(names: [String: String]) -> Endpoint {
    Endpoint(method: "TRACE", path: "/users", query: names)  // error: a dictionary is not a query
}

func form(names: [String: String]) -> Endpoint {
    .post("/users", body: .form(names))  // error: a dictionary is not a query: write `.form(Query(dictionary))`
}
