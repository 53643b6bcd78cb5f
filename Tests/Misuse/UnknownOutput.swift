// A call whose output has no type is told where to name it.
import TangoRequest

func discard(client: Client) async throws {
    try await client.delete("/posts/1").value  // error: name the type of the output
    try await Client.post("/posts").value  // error: name the type of the output
}

func read(client: Client) async throws {
    let user = try await Client.get("/users/1").value  // error: name the type of the output: `as: User.self`
    print(user.name)
    let other = try await client.get("/users/1", query: ["page": 1]).value  // error: name the type of the output
    print(other.name)
    let last = try await client.request(.get("/users/1")).value  // error: name the type of the output
    print(last.name)
}

func chain(client: Client) {
    Client.get("/users/1").map { $0.name }.next { print("\($0)") }  // error: name the type of the output
    client.put("/users/1", body: .json(["name": "Ada"]))  // error: name the type of the output
    client.patch("/users/1", body: .json(["name": "Ada"]))  // error: name the type of the output
}
