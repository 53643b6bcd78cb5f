// A handler cannot change a local variable of the thread that attaches it.
import TangoPromise

func load() {
    var names: [String] = []
    Promise("a").next { names.append($0) }  // error: mutation of captured var 'names' in concurrently-executing code
    print(names)
}
