import TangoPromise
import Testing

/// Promises/A+ 2.2.1 and 2.2.7.3-4: an outcome skips the handlers that do not handle it.
@Suite(.noHang) struct OptionalHandlersTests {
    /// The ways to attach a link that does not handle errors.
    static let valueLinks: [Link] = [
        Link("next") { events in { $0.next { events.mark($0) } } },
        Link("next that returns a promise") { events in { $0.next { Promise(events.mark($0)) } } },
        Link("then") { events in { $0.then { events.mark($0) } } },
        Link("then that returns a promise") { events in { $0.then { Promise(events.mark($0)) } } },
        Link("next on a scheduler") { events in { $0.next(on: .immediate) { events.mark($0) } } },
        Link("next in a task") { events in { $0.next(on: .task) { events.mark($0) } } },
        Link("tap") { events in { $0.tap { events.add($0) } } },
        Link("validate") { events in { $0.validate { !events.mark($0).isEmpty } } },
    ]

    /// The ways to attach a link that does not handle values.
    static let errorLinks: [Link] = [
        Link("catch") { events in { $0.catch { events.add("\($0)") } } },
        Link("catch of everything") { events in { $0.catch(policy: .all) { events.add("\($0)") } } },
        Link("catch in a task") { events in { $0.catch(on: .task) { events.add("\($0)") } } },
        Link("recover") { events in { $0.recover { events.mark("\($0)") } } },
        Link("recover that returns a promise") { events in { $0.recover { Promise(events.mark("\($0)")) } } },
        Link("recover on a scheduler") { events in { $0.recover(on: .immediate) { events.mark("\($0)") } } },
        Link("mapError") { events in { $0.mapError { Oops(events.mark("\($0)")) } } },
    ]

    @Test(arguments: valueLinks, Setting.all)
    func anErrorPassesByAHandlerForValues(link: Link, setting: Setting) async {
        let events = Events<String>()
        let (promise, settle) = setting.promise(Outcome.error.result)
        let end = link.attach(events)(promise)
        settle()
        #expect(await end.result.error() == Oops("error"))
        #expect(events.all == [])
    }

    @Test(arguments: errorLinks, Setting.all)
    func aValuePassesByAHandlerForErrors(link: Link, setting: Setting) async throws {
        let events = Events<String>()
        let (promise, settle) = setting.promise(Outcome.value.result)
        let end = link.attach(events)(promise)
        settle()
        #expect(try await end.value == "value")
        #expect(events.all == [])
    }

    @Test(arguments: Setting.all)
    func aRejectionSkipsToTheNextHandler(setting: Setting) async throws {
        let events = Events<String>()
        let (promise, settle) = setting.promise(Outcome.error.result)
        var chain = promise
        for link in OptionalHandlersTests.valueLinks { chain = link.attach(events)(chain) }
        let end = chain.recover { "recovered from \(($0 as? Oops)?.name ?? "?")" }
        settle()
        #expect(try await end.value == "recovered from error")
        #expect(events.all == [])
    }

    @Test(arguments: Setting.all)
    func aValueSkipsToTheNextHandler(setting: Setting) async throws {
        let events = Events<String>()
        let (promise, settle) = setting.promise(Outcome.value.result)
        var chain = promise
        for link in OptionalHandlersTests.errorLinks { chain = link.attach(events)(chain) }
        let end = chain.next { "got \($0)" }
        settle()
        #expect(try await end.value == "got value")
        #expect(events.all == [])
    }
}

extension OptionalHandlersTests {
    /// A way to attach a handler, which records that it runs.
    struct Link: Sendable, CustomTestStringConvertible {
        typealias Attach = @Sendable (Promise<String>) -> Promise<String>

        let testDescription: String
        let attach: @Sendable (Events<String>) -> Attach

        init(_ name: String, attach: @escaping @Sendable (Events<String>) -> Attach) {
            testDescription = name
            self.attach = attach
        }
    }
}

extension Events<String> {
    fileprivate func mark(_ event: String) -> String {
        add(event)
        return event
    }
}
