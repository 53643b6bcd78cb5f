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
