#if os(Linux)
    import TangoRequest

    extension RequestProcess {
        /// The example of an observer of all clients. It runs in a process of its own, because it would observe all tests.
        static func observeAndEnd(_ print: @escaping @Sendable (HTTPRequest) -> Void) {
            let observation = Client.observe { event in
                if case .sending(let request) = event.kind { print(request) }
            }
            observation.end()
        }
    }
#endif
