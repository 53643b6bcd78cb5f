import Dispatch
import Tango

/// Chapter three: values that will be available later.
func promises() async throws {
    try await chains()
    try await errors()
    try await several()
    await cancelling()
    await timeOut()
    try await retrying()
    try await awaiting()
    try await scheduling()
    unhandled()
}

// MARK: Helpers

private struct User {
    let id: Int
    let name: String
}

private struct NotFound: Error {}

/// Simulates a request to a server that has two users.
private func loadUser(_ id: Int) -> Promise<User> {
    Promise {
        try await Task.sleep(for: .milliseconds(5))
        switch id {
        case 1: return User(id: 1, name: "Ada")
        case 2: return User(id: 2, name: "Grace")
        default: throw NotFound()
        }
    }
}

private func loadPosts(by user: User) -> Promise<[String]> {
    Promise(["\(user.name) says hello", "\(user.name) says goodbye"])
}

// MARK: The sections

private func chains() async throws {
    section("A chain: each step returns a value or another promise")
    let titles = loadUser(1)
        .next { user in loadPosts(by: user) }
        .next { posts in posts.joined(separator: "; ") }
    show(try await titles.value)
}

private func errors() async throws {
    section("An error skips all handlers up to the first one for errors")
    let record = Record()
    let name = loadUser(404)
        .next { user in record.note("next saw \(user.name)") }  // never
        .catch { error in record.note("catch saw \(error)") }
        .next { "a name" }  // not after an error
        .recover { error in "anonymous" }
        .finally { record.note("finally ran") }
    show("the value is \(try await name.value)")
    show(record.story)

    let greeting = loadUser(404).then({ user in "Hello, \(user.name)!" }, { error in "Hello, stranger!" })
    show(try await greeting.value)
}

private func several() async throws {
    section("Several at once, as a typed tuple and in the order of the input")
    let both = Promise.all(loadUser(1), loadUser(2).next { user in user.name.count })
    let (user, count) = try await both.value
    show("\(user.name), and \(count) letters")

    let squares = Promise.all(1...10, limit: 3) { number in Promise(number * number) }
    show("at most three at a time: \(try await squares.value)")

    let first = Promise.any([loadUser(404), loadUser(2)])
    show("the first that succeeds: \(try await first.value.name)")

    let outcomes = try await Promise.allSettled([loadUser(1), loadUser(404)]).value
    show("all outcomes: \(outcomes.map { (try? $0.get())?.name ?? "none" })")
}

private func cancelling() async {
    section("Work is cancelled when its last consumer leaves")
    let (download, resolver) = Promise<Int>.pending()
    resolver.onCancel { show("no consumer is left: the download stops") }
    let handlers = Record()
    let preview = download.next { size in size / 10 }
    let page = download.next { size in handlers.note("next saw \(size)") }  // never
        .catch { error in handlers.note("catch saw \(error)") }  // a cancellation is no error
        .finally { handlers.note("finally ran") }

    preview.cancel()
    show("the preview is cancelled: the page still waits, the download goes on")
    page.cancel()
    _ = await page.finally {}.result  // runs after the other one
    show(handlers.story)
    resolver.fulfill(100)  // too late
}

private func timeOut() async {
    section("A timeout, on a clock that the program advances")
    let clock = ManualClock()
    let (answer, resolver) = Promise<Int>.pending()
    let late = answer.timeout(.seconds(30), clock: clock)
    clock.advance(by: .seconds(30))
    show("after \(clock.now.offset): \(await late.result)")
    resolver.fulfill(1)  // too late
}

private func retrying() async throws {
    section("Retrying, with longer and longer waits")
    let clock = ManualClock()
    let record = Record()
    let user = Promise.retry(3, backoff: .exponential(base: .seconds(1), jitter: 0), clock: clock) { attempt in
        record.note("attempt \(attempt) at \(clock.now.offset)")
        return loadUser(attempt == 3 ? 1 : 404)
    }
    for wait in [1, 2] {
        await clock.sleepers()
        clock.advance(by: .seconds(wait))
    }
    show("\(try await user.value.name), in the end")
    show(record.story)
}

private func awaiting() async throws {
    section("Promises and async code call each other")
    let user = try await loadUser(2).value
    show("awaited: \(user.name)")
    let shouted = loadUser(1).next(on: .task) { user in try await shout(user.name) }
    show("awaited inside a chain: \(try await shouted.value)")
}

private func shout(_ text: String) async throws -> String {
    try await Task.sleep(for: .milliseconds(1))
    return text.uppercased()
}

@MainActor private func scheduling() async throws {
    section("Handlers run where you say, and never inside the call that attaches them")
    let record = Record()
    let queue = DispatchQueue(label: "tour")
    let chain = Promise(1)
        .next(on: .main) { number in
            MainActor.assertIsolated()
            record.note("on the main actor")
            return number + 1
        }
        .next(on: .queue(queue)) { number in
            dispatchPrecondition(condition: .onQueue(queue))
            record.note("on a queue")
            return number + 1
        }
    record.note("attached")
    show("\(try await chain.value) (\(record.story))")

    section("Handlers on .immediate are the exception: they run at once")
    let eager = Record()
    let now = Promise.fulfilled(1, on: .immediate).next { number in eager.note("the handler") }
    eager.note("the next line")
    try await now.value
    show(eager.story)
}

private func unhandled() {
    section("An unhandled error is reported")
    let standard = PromiseEvents.onUnhandled
    PromiseEvents.onUnhandled = { report in show("\(report.kind): \(report.error)") }
    _ = Promise<User>.rejected(NotFound())
    PromiseEvents.onUnhandled = standard
}
