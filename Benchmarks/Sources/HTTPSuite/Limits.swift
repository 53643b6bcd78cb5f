import Harness
import TangoRequest

/// Limits of time, threads, memory and descriptors, each measured in a new process.
func limits(_ size: Size, _ server: Kept<Server>) -> Group {
    let (crowd, many) = (size(1_000), size(200_000))
    let transport = CurlTransport()
    // Takes some seconds, so it runs once for all rounds.
    let growth = Kept { try await endured(server.value, many) }
    let sessions = Sessions(connections: 64)
    return Group(
        "HTTP",
        [
            .number("HTTP, \(crowd) requests at once, response after 1 s: seconds until the last", must: 1.3) {
                try await crowded(server.value, crowd)[0]
            },
            .number("HTTP, \(crowd) requests at once: threads of the client", must: 4) {
                try await crowded(server.value, crowd)[1]
            },
            .number("the same process before it sends a request", isComparison: true) {
                try await crowded(server.value, crowd)[2]
            },
            .number("HTTP, \(many) requests: KB of memory more than after a tenth", must: 1024) {
                try await growth.value[0] / 1024
            },
            .number("HTTP, \(many) requests: descriptors more than after a tenth", must: 0) {
                try await growth.value[1]
            },
            .number("HTTP, GET, 64 in flight: time in terms of URLSession's", must: 0.125) {
                let url = try await server.value.small
                let (count, few) = (size(20_000), size(2_000))
                let ours = try await nanoseconds(for: count) {
                    try await get(url, transport, count: count, inFlight: 64)
                }
                return try await ours
                    / nanoseconds(for: few) { try await sessions.get(url, count: few, inFlight: 64) }
            },
        ] + memoryForLargeBodies(bytes: size(100) << 20, server))
}

private func crowded(_ server: Server, _ count: Int) throws -> [Double] {
    try Child(["crowd", server.late.absoluteString, String(count)]).numbers()
}

private func endured(_ server: Server, _ count: Int) throws -> [Double] {
    try Child(["endure", server.small.absoluteString, String(count)]).numbers()
}
