// Requests that are sent by a client, outputs that cannot be decoded, and continuations without a promise.
import TangoPromise
import TangoRequest

struct Point: Sendable {}

final class GetPoint: Request<Point> {
    override var endpoint: Endpoint { .get("/point") }
    override var serializer: Serializer<Point> { .json }  // error: the output is not Decodable
}

final class GetNames: Request<[String]> {
    override var endpoint: Endpoint { .get("/names") }
}

func send(client: Client) async throws {
    print(try await client.send(GetNames()))  // error: a declared request has a client already: write `request.promise`
}

func count() -> Promise<Int> {
    GetNames().promise.flatMap { $0.count }  // error: the closure does not return a promise
}
