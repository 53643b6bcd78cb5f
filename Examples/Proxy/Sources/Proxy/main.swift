import Foundation
import Tango

guard let upstream = CommandLine.arguments.dropFirst().first.flatMap(URL.init(string:)), upstream.host() != nil else {
    print("usage: proxy URL [PORT]")
    exit(2)
}
let gateway = try Gateway(upstream: upstream, port: CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 0)
print("\(gateway.url) forwards to \(upstream). Its metrics are at /metrics.")

// Ends with the signal that a terminal or a supervisor sends.
let (signals, signalled) = AsyncStream.makeStream(of: Void.self)
let sources = [SIGINT, SIGTERM].map { number in
    signal(number, SIG_IGN)
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler { signalled.yield() }
    source.resume()
    return source
}
for await _ in signals { break }
await gateway.shutdown()
sources.forEach { $0.cancel() }
