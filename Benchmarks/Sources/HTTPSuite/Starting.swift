import Foundation
import Harness
import TangoRequest

/// The cost of beginning: the first request of a process, and another client of one that has sent requests.
func starting(_ server: Kept<Server>) -> Group {
    Group(
        "HTTP, the start",
        [
            .number("HTTP, the first request of a process: ms more than one by libcurl driven by C", must: 10) {
                let url = try await server.value.small.absoluteString
                let runs = try (0..<9).map { _ in
                    try (milliseconds("FirstRequest", url), milliseconds("FirstRequestInC", url))
                }
                return median(runs.map(\.0)) - median(runs.map(\.1))
            },
            .number("the same process, from its start to its end: ms", isComparison: true) {
                let url = try await server.value.small.absoluteString
                return try median((0..<9).map { _ in try milliseconds("FirstRequest", url) })
            },
            .number("HTTP, another client: µs", must: 50) {
                let url = try await server.value.url("")
                let first = Client(baseURL: url)
                _ = try await first.get("/small", as: Data.self).value
                var clients: [Client] = []
                let time = nanoseconds(for: 1000) { for _ in 0..<1000 { clients.append(Client(baseURL: url)) } }
                keep(clients)
                return time / 1000
            },
        ])
}

private func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
}

/// Runs a program of this package, and returns the time until it has ended.
private func milliseconds(_ name: String, _ argument: String) throws -> Double {
    guard let own = Bundle.main.executableURL else { throw Failure("this program does not know its own path") }
    let program = own.deletingLastPathComponent().appendingPathComponent(name)
    let process = Process()
    process.executableURL = program
    process.arguments = [argument]
    let time = try nanoseconds(for: 1_000_000) {
        try process.run()
        process.waitUntilExit()
    }
    guard process.terminationStatus == 0 else {
        throw Failure("\(program.path) ended with the status \(process.terminationStatus)")
    }
    return time
}
