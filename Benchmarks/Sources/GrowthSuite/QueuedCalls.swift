import Harness
import Tango

/// Calls that wait for a suspended limiter.
private struct Line: Sendable {
    let limiter = Limiter(total: 64)
    let client: Client
    let calls: [Call<Data>]

    init(_ count: Int, url: @Sendable (Int) -> String) async throws {
        let limiter = limiter
        limiter.suspend()
        let client = makeClient { $0.limiter = limiter }
        self.client = client
        calls = (0..<count).map { Get(client, url($0)).start() }.shuffled()
        try await wait(for: "all calls are queued") { limiter.waiting == count }
    }
}

/// The calls of one measurement: many short lines, or a long one.
private func lines(of count: Int, url: @escaping @Sendable (Int) -> String = { _ in "/" }) async throws -> [Line] {
    var lines: [Line] = []
    for _ in 0..<max(1, 200 / count) { lines.append(try await Line(count, url: url)) }
    return lines
}

func queuedCalls(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)
    let kept = KeptForSizes(upTo) { try await Line($0) { _ in "/" } }
    return [
        GrowthRow("queue and cancel a call", beside: "queued calls", upTo) { count in
            let line = try await kept(count)
            return try await processorNanoseconds(for: 200) {
                let calls = (0..<200).map { _ in Get(line.client).start() }
                try await wait(for: "all calls are queued") { line.limiter.waiting == count + 200 }
                for call in calls { call.cancel() }
                try await wait(for: "all cancelled calls have left the queue") { line.limiter.waiting == count }
            }
        },
        GrowthRow("cancel each, in random order", beside: "queued calls", upTo) { count in
            let lines = try await lines(of: count)
            return try await processorNanoseconds(for: lines.count * count) {
                for line in lines {
                    for call in line.calls { call.cancel() }
                    try await wait(for: "all cancelled calls have left the queue") { line.limiter.waiting == 0 }
                }
            }
        },
        GrowthRow("let each pass", beside: "queued calls", upTo) { count in
            try await passing(lines(of: count))
        },
    ]
}

private func passing(_ lines: [Line]) async throws -> Double {
    try await processorNanoseconds(for: lines.map(\.calls.count).reduce(0, +)) {
        for line in lines {
            line.limiter.resume()
            for call in line.calls { _ = try await call.value }
        }
    }
}

func hosts(_ sizes: Sizes) -> [GrowthRow] {
    let upTo = sizes(upTo: 10_000)
    let busy = KeptForSizes(upTo) { count in
        let client = makeClient { $0.limiter = Limiter(perHost: 1) }
        // Each host has one call in flight and one in its queue.
        let calls = (0..<2 * count).map { Get(client, "http://host\($0 / 2)/held").start() }
        try await wait(for: "each host has a queued call") { client.configuration.limiter?.waiting == count }
        return (client: client, calls: calls)
    }
    return [
        GrowthRow("a call to another host", beside: "hosts with a queue", upTo) { count in
            let client = try await busy(count).client
            return try await time { Get(client).start() }
        },
        GrowthRow("let each of their calls pass", beside: "hosts with a queue", upTo) { count in
            try await passing(lines(of: count) { "http://host\($0)/" })
        },
    ]
}
