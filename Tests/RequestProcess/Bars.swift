import Foundation
import LoopbackServer
import TangoMeasuring
import TangoRequest

extension RequestProcess {
    /// Draws the bars of calls with long and wide names on the standard error. They end one after the other.
    static func drawBars() async throws {
        let server = try LoopbackServer(recording: .none, bodies: .none)
        let client = Client(baseURL: server.url)
        let bars = ProgressBars(style: .bars())
        let gates = (0..<30).map { _ in Gate() }
        for (number, gate) in gates.enumerated() {
            server.answer("/\(number)", with: Response.generated(bytes: 200_000).held(by: gate, at: .responseBody))
            let name =
                switch number % 3 {
                case 0: "\(number):" + String(repeating: " a long name", count: 10)
                case 1: "\(number): 映画の長い名前です。映画の長い名前です。映画の長い名前です。"
                default: "\(number): short"
                }
            bars.add(GetFilm(number, of: client).start(), name: name)
        }
        for gate in gates {
            try await gate.reached()
            gate.open()
        }
        await bars.finish()
        server.stop()
    }
}

private final class GetFilm: Request<Data> {
    private let number: Int
    private let owner: Client

    init(_ number: Int, of owner: Client) {
        self.number = number
        self.owner = owner
    }

    override var client: Client { owner }
    override var endpoint: Endpoint { .get("/\(number)") }
}
