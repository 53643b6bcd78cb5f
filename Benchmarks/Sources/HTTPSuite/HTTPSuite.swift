import Harness

/// Requests over HTTP, compared with a plain loop in C that uses the same libcurl, and with `URLSession`.
///
/// The server is a process of its own, so that this process measures only the client.
public func httpSuite(_ size: Size) -> [Group] {
    let server = Kept { try Server() }
    return secured(size(10_000)) + [
        inFlight(64, count: size(20_000), must: 1.33, aim: 1.05, server),
        inFlight(16, count: size(20_000), must: 1.82, aim: 1.25, server),
    ] + fullPath(count: size(20_000), server) + [
        responsesWithoutTransfer(count: size(20_000), server),
        oneByOne(count: size(5_000), server),
        processorTime(count: size(5_000), server),
        receiving(bytes: size(100) << 20, server),
        saving(bytes: size(100) << 20, server),
        inParts(bytes: size(32) << 20, server),
        sending(bytes: size(100) << 20, server),
        stages(count: size(2_000), queued: size(10_000)),
        rejections(count: size(1_000)),
        starting(server),
        limits(size, server),
        streams(size, server),
    ]
}

struct Failure: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
