#if os(Linux)
    import Testing

    @testable import TestSupport

    @Suite(.timeLimit(.minutes(20))) struct ReleaseTests {
        /// Runs in a child process, because a recursive lock would end the process.
        @Test func objectsAreReleasedOutsideLocks() async throws {
            let child = try await RequestChild("releases")
            #expect(child["done"] == "yes", "\(child.facts)")
            #expect(child["client"] == "0")
            #expect(child["hook"] == "true")
            #expect(child["info"] == "2")
            #expect(child["state"] != nil)
            #expect(child["replaced"] == "b")
            #expect(child["failed"] == "503")
            #expect(child["released"] == "running 503")
            #expect(child["ends"] == "8")
        }
    }
#endif
