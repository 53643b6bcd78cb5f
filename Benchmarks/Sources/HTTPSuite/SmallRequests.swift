import Foundation
import Harness
import TangoRequest
import TangoURLSession

/// Small requests by several tasks, each of which sends one after the other.
func inFlight(_ tasks: Int, count: Int, must: Double, aim: Double, _ server: Kept<Server>) -> Group {
    let plain = Kept { try PlainCurl(inFlight: tasks) }
    let transport = CurlTransport()
    let sessions = Sessions(connections: tasks)
    return Group(
        "HTTP, small GET, \(tasks) in flight (one operation: a request)",
        against: Reference(
            "\(tasks) in flight",
            .timed("ref: libcurl driven by C") {
                let (plain, url) = (try await plain.value, try await server.value.small)
                return try nanoseconds(for: count) { try plain.get(url, count: count) }
            }),
        [
            .timed("GET, \(tasks) in flight", must: must, aim: aim) {
                let url = try await server.value.small
                return try await nanoseconds(for: count) {
                    try await get(url, transport, count: count, inFlight: tasks)
                }
            },
            .timed("URLSession: GET, \(tasks) in flight", isComparison: true) {
                let url = try await server.value.small
                let few = count / 10
                return try await nanoseconds(for: few) {
                    try await sessions.get(url, count: few, inFlight: tasks)
                }
            },
        ] + urlSessionTransport(tasks, count: count / 10, server))
}

/// The transport of `URLSession`. On Linux, a trait of the package adds it.
private func urlSessionTransport(_ tasks: Int, count: Int, _ server: Kept<Server>) -> [Row] {
    #if canImport(Darwin) || URLSessionOnLinux
        let transport = URLSessionTransport()
        return [
            .timed("URLSessionTransport: GET, \(tasks) in flight", isComparison: true) {
                let url = try await server.value.small
                return try await nanoseconds(for: count) {
                    try await get(url, transport, count: count, inFlight: tasks)
                }
            }
        ]
    #else
        return []
    #endif
}

/// Small requests by one task. The time depends on how fast the system wakes a waiting thread.
func oneByOne(count: Int, _ server: Kept<Server>) -> Group {
    let plain = Kept { try PlainCurl(inFlight: 1) }
    let transport = CurlTransport()
    let sessions = Sessions(connections: 1)
    return Group(
        "HTTP, small GET, one after the other (one operation: a request)",
        against: Reference(
            "one after the other",
            .timed("ref: libcurl driven by C") {
                let (plain, url) = (try await plain.value, try await server.value.small)
                return try nanoseconds(for: count) { try plain.get(url, count: count) }
            }),
        [
            .timed("GET, one after the other") {
                let url = try await server.value.small
                return try await nanoseconds(for: count) {
                    try await get(url, transport, count: count, inFlight: 1)
                }
            },
            .timed("URLSession: GET, one after the other", isComparison: true) {
                let url = try await server.value.small
                return try await nanoseconds(for: count / 10) {
                    try await sessions.get(url, count: count / 10, inFlight: 1)
                }
            },
        ])
}

/// Small requests by one task, measured as processor time of all threads of the client.
func processorTime(count: Int, _ server: Kept<Server>) -> Group {
    let plain = Kept { try PlainCurl(inFlight: 1) }
    let transport = CurlTransport()
    let sessions = Sessions(connections: 1)
    return Group(
        "HTTP, small GET, one after the other: processor time of the client (one operation: a request)",
        against: Reference(
            "one after the other, processor",
            .timed("ref: libcurl driven by C") {
                let (plain, url) = (try await plain.value, try await server.value.small)
                return try processorNanoseconds(for: count) { try plain.get(url, count: count) }
            }),
        [
            .timed("GET, processor time", must: 2.2, aim: 1.5) {
                let url = try await server.value.small
                return try await processorNanoseconds(for: count) {
                    try await get(url, transport, count: count, inFlight: 1)
                }
            },
            .timed("URLSession: GET, processor time", isComparison: true) {
                let url = try await server.value.small
                return try await processorNanoseconds(for: count / 10) {
                    try await sessions.get(url, count: count / 10, inFlight: 1)
                }
            },
        ])
}
