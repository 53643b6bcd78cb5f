// Two handlers, in every mixture, without a type to go by: what `then` makes of them is fixed here.
import Tango

func mixtures() {
    let valueAndValue = fetch(1).then({ user in user.id }, { _ in 0 })
    let _: Promise<Int> = valueAndValue
    let promiseAndPromise = fetch(1).then({ user in fetch(user.id) }, { _ in fetch(2) })
    let _: Promise<User> = promiseAndPromise
    let promiseAndValue = fetch(1).then({ user in fetch(user.id) }, { _ in User() })
    let _: Promise<User> = promiseAndValue
    let promiseOrError = fetch(1).then({ user in fetch(user.id) }, { _ in throw Oops() })
    let _: Promise<User> = promiseOrError
    let valueOrError = fetch(1).then({ user in user.id }, { _ in throw Oops() })
    let _: Promise<Int> = valueOrError
    let onMain = fetch(1).then(on: .main, { user in fetch(user.id) }, { _ in User() })
    let _: Promise<User> = onMain
}

/// Two in one chain, which the compiler must not take long for.
func twice() -> Promise<String> {
    fetch(1).then({ user in user.id * 2 + 1 }, { _ in -1 }).then({ $0 - 1 + $0 }, { _ in 0 }).next { print("\($0)") }
    fetch(1).then({ fetch($0.id + 1) }, { _ in fetch(0) }).then({ fetch($0.id * 2) }, { _ in fetch(1) })
        .next { print($0.name) }
    fetch(1).then({ user in fetch(user.id) }, { _ in User() }).then({ user in fetch(user.id + 1) }, { _ in User() })
        .next { user in print(user.name) }
    return fetch(1).then({ $0.name + "!" }, { _ in "none" })
        .then({ $0.uppercased() + "x" }, { error in "\(error)" + "y" })
}
