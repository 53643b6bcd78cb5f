// A call whose output has no type is told where to name it.
import TangoRequest

func discard(client: Client) async throws {
    try await client.delete("/posts/1").value  // error: the type of the output is unknown
    try await Client.post("/posts").value  // error: the type of the output is unknown
}

func read(client: Client) async throws {
    let user = try await Client.get("/users/1").value  // error: the type of the output is unknown: name it, as in
    print(user.name)
    let other = try await client.get("/users/1", query: ["page": 1]).value  // error: the type of the output is unknown
    print(other.name)
    let last = try await client.request(.get("/users/1")).value  // error: the type of the output is unknown
    print(last.name)
}

func chain(client: Client) {
    Client.get("/users/1").map { $0.name }.next { print("\($0)") }  // error: the type of the output is unknown
    client.put("/users/1", body: .json(["name": "Ada"]))  // error: the type of the output is unknown
    client.patch("/users/1", body: .json(["name": "Ada"]))  // error: the type of the output is unknown
    Client.head("/users/1")  // error: the type of the output is unknown
    Client.options("/users/1")  // error: the type of the output is unknown
}
