import LoopbackServer
import Synchronization
import Testing

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// Downloads in parts from a server that accepts each counter of `Digest` once.
@Suite(.timeLimit(.minutes(20)))
struct PartsCredentialsTests {
    @Test func eachPartHasACounterOfItsOwn() async throws {
        let entity = Entity(bytes: 400_000)
        let place = try FileSite(entity) { $0.authenticator = .digest(user: "grace", password: "secret") }
        let counters = Mutex<Set<String>>([])
        place.server.answer("/film.mp4") { request in
            let sent = request.headers["Authorization"].flatMap { Challenge.all(in: [$0]).first?["nc"] }
            guard let sent, counters.withLock({ $0.insert(sent).inserted }) else {
                return Response.text("who are you", status: 401).header(
                    "WWW-Authenticate", "Digest realm=\"film\", nonce=\"n\", qop=\"auth\", algorithm=MD5")
            }
            return entity.response(to: request)
        }
        #expect(try await place.get(parts: 4).start().value.count == 400_000)
        #expect(place.server.requests.count == 5)
        #expect(counters.withLock(\.self) == ["00000001", "00000002", "00000003", "00000004"])
    }
}
