// A resolver settles with the type that was promised.
import TangoPromise

func load() -> Promise<Int> {
    let (promise, resolver) = Promise<Int>.pending()
    resolver.fulfill("one")  // error: cannot convert value of type 'String' to expected argument type 'Int'
    return promise
}
