// A handler that reads a RequestError is told how to name that type.
import TangoRequest

final class GetName: Request<String> {
    override var endpoint: Endpoint { .get("/name") }
}

func load() {
    GetName().promise.next { print($0) }.catch { error in print(error.message) }  // error: the error is `any Error`
    GetName().promise.catch { (error: RequestError) in print(error) }  // error: write `.catch(RequestError.self)
    GetName().promise.catch { print($0.mesage) }  // error: value of type 'any Error' has no member 'mesage'
}
