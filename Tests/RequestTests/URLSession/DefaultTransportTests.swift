#if os(Linux)
    import Testing

    @testable import TangoRequest

    /// Which transport a client has that is not given one.
    @Suite struct DefaultTransportTests {
        @Test func libcurlWhereItCanBeUsed() throws {
            let reports = Recorded<String>()
            let choice = DefaultTransport.choice(problem: nil) { reports.add($0) }
            #expect(choice is CurlTransport)
            #expect(reports.all.isEmpty)
            #expect(Client().configuration.transport is CurlTransport)
        }

        @Test func elseURLSessionWhichIsTold() throws {
            let reports = Recorded<String>()
            let choice = DefaultTransport.choice(problem: "it is not there") { reports.add($0) }
            #expect(choice is URLSessionTransport)
            #expect(reports.all.count == 1)
            #expect(reports.all.first?.contains("it is not there") == true)
            #expect(reports.all.first?.contains("URLSession") == true)
        }

        @Test func orTheOneThatItIsGiven() throws {
            let transport = URLSessionTransport()
            #expect(Client { $0.transport = transport }.configuration.transport as? URLSessionTransport === transport)
        }
    }
#endif
