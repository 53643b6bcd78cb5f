// A value that is passed as a body is told to name its format, and `parameters:` is told the label of this library.
import TangoRequest

struct User: Codable, Sendable { var id = 1 }

func literal(title: String) -> Endpoint {
    .post("/posts", body: ["title": title, "draft": true])  // error: the format of the body is missing
}

func model(user: User) -> Endpoint {
    .put("/users/1", body: user)  // error: the format of the body is missing: write `.json(value)`, `.form(fields)`
}

func variable(user: User, values: [String: Any]) {
    Client.post("/users", body: user, as: User.self)  // error: the format of the body is missing
    Client.default.patch("/users/1", body: values, as: User.self)  // error: the format of the body is missing
}

func unencodable(values: [String: Any]) -> Endpoint {
    .post("/users", body: .json(values))  // error: a dictionary of `Any` is not Encodable
}

func parameters(page: Int) -> Endpoint {
    .get("/users", parameters: ["page": page])  // error: `parameters` is not a label: write `query:`
}

func parameters(client: Client, values: [String: Any]) {
    Client.get("/users", parameters: values, as: User.self)  // error: `parameters` is not a label: write
    client.post("/users", parameters: values, as: User.self)  // error: write `body: .json(…)`
}
