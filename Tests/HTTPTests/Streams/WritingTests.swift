import Foundation
import LoopbackServer
import TangoPromise
import Testing

@testable import TangoHTTP
@testable import TangoRequest
@testable import TestSupport

#if canImport(Glibc)
    import Glibc
    import TangoTransfers
#endif

/// Bodies that are written to a destination while they arrive.
@Suite(.timeLimit(.minutes(20)))
struct WritingTests {
    private let site: Site
    private let size = 3_000_000
    private let folder = FileManager.default.temporaryDirectory.appending(path: "tango-sink-\(UUID().uuidString)")

    init() throws {
        site = try Site()
        site.server.answer("/", with: .generated(bytes: size))
    }

    private func body() async throws -> ByteStream {
        try await Fetch(.get("/"), of: site.client(), as: ByteStream.self).promise.value
    }

    private func ended() async throws {
        try await site.server.connectionEnded(0)
    }

    enum Destination: CaseIterable, Sendable { case descriptor, handle, output, closure }

    @Test(arguments: Destination.allCases)
    func bodyIsWritten(_ destination: Destination) async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = FileManager.default.createFile(atPath: folder.path, contents: nil)
        let handle = try FileHandle(forWritingTo: folder)
        let body = try await body()
        let count =
            switch destination {
            case .descriptor: try await body.write(to: handle.fileDescriptor)
            case .handle: try await body.write(to: handle)
            case .output: try await body.write(to: OutputStream(url: folder, append: false) ?? .toMemory())
            case .closure: try await body.write { try handle.write(contentsOf: $0) }
            }
        #expect(count == size)
        try handle.close()
        #expect(try Data(contentsOf: folder) == generated(size))
    }

    @Test func fullPipeSlowsTheServer() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (read, write) = (ends[0], ends[1])
        _ = fcntl(write, F_SETFL, O_NONBLOCK)
        let body = try await body()
        async let count = body.write(to: write)
        let all = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Data, any Error>) in
            Thread.detachNewThread { [size] in
                var all = Data()
                let handle = FileHandle(fileDescriptor: read)
                while all.count < size, let portion = try? handle.read(upToCount: min(65_536, size - all.count)) {
                    all += portion
                }
                continuation.resume(returning: all)
            }
        }
        #expect(try await count == size)
        #expect(all == generated(size))
        close(read)
        close(write)
    }

    @Test func closedDescriptorFailsAndClosesTheConnection() async throws {
        site.server.answer(
            "/endless",
            with: .stream { writer in
                while true { try await writer.write([UInt8](repeating: 0, count: 65_536)) }
            })
        let body = try await Fetch(.get("/endless"), of: site.client(), as: ByteStream.self).promise.value
        let error = await refusal { try await body.write(to: -1) }
        #expect(error?.code == .notWritten)
        #expect(error?.detail == "the body could not be written to its destination: Bad file descriptor")
        try await ended()
    }

    enum Pipe: CaseIterable, Sendable { case pipe, nonBlockingPipe, socket }

    /// The ends of a pipe or a pair of sockets: first the one to read.
    private func ends(of kind: Pipe) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        if kind == .socket {
            #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        } else {
            #expect(pipe(&ends) == 0)
        }
        if kind == .nonBlockingPipe { _ = fcntl(ends[1], F_SETFL, O_NONBLOCK) }
        return (ends[0], ends[1])
    }

    private func write(_ body: ByteStream, to end: Int32, _ destination: Destination) async throws -> Int {
        switch destination {
        case .descriptor: try await body.write(to: end)
        case .handle: try await body.write(to: FileHandle(fileDescriptor: end, closeOnDealloc: false))
        case .output:
            try await body.write(to: OutputStream(toFileAtPath: "/dev/fd/\(end)", append: true) ?? .toMemory())
        case .closure: try await body.write { _ in throw NothingThrown() }
        }
    }

    @Test(arguments: Pipe.allCases, [Destination.descriptor, .handle, .output])
    func pipeWithoutAReaderFails(kind: Pipe, destination: Destination) async throws {
        // A socket has no path.
        if kind == .socket, destination == .output { return }
        let (read, end) = ends(of: kind)
        defer { close(end) }
        let output = destination == .output ? OutputStream(toFileAtPath: "/dev/fd/\(end)", append: true) : nil
        output?.open()
        close(read)
        let body = try await body()
        let error = await refusal {
            if let output {
                _ = try await body.write(to: output)
            } else {
                _ = try await write(body, to: end, destination)
            }
        }
        #expect(error?.code == .notWritten)
        if destination != .output {
            #expect(error?.detail == "the body could not be written to its destination: Broken pipe")
        }
        try await ended()
    }

    @Test(arguments: Pipe.allCases, [Destination.descriptor, .handle])
    func cancellingEndsTheWaitForAReader(kind: Pipe, destination: Destination) async throws {
        let (read, end) = ends(of: kind)
        defer {
            close(read)
            close(end)
        }
        let body = try await body()
        let task = Task { try await write(body, to: end, destination) }
        // The pipe is full when it accepts nothing, although the body has not ended.
        var state = pollfd(fd: end, events: Int16(POLLOUT), revents: 0)
        while poll(&state, 1, 0) == 1 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await ended()
    }

    enum Ending: CaseIterable, Sendable { case cancelling, shuttingDown, deadline }

    @Test(arguments: Ending.allCases)
    func endOfTheCallEndsTheWaitForAReader(_ ending: Ending) async throws {
        let (read, end) = ends(of: .pipe)
        defer {
            close(read)
            close(end)
        }
        let clock = ManualClock()
        let client = site.client(
            timeouts: Timeouts(connect: nil, idle: .seconds(600), total: .seconds(60)), clock: clock)
        let call = Fetch(.get("/"), of: client, as: ByteStream.self).start()
        let body = try await call.value
        let task = Task { try await body.write(to: end) }
        var state = pollfd(fd: end, events: Int16(POLLOUT), revents: 0)
        while poll(&state, 1, 0) == 1 { await Task.yield() }
        switch ending {
        case .cancelling: call.cancel()
        case .shuttingDown: await client.shutdown()
        case .deadline: clock.advance(by: .seconds(60))
        }
        let error = await #expect(throws: (any Error).self) { try await task.value }
        let code = (error as? RequestError)?.code
        #expect(code == (ending == .cancelling ? nil : ending == .deadline ? .totalTimedOut : .shutDown))
        try await ended()
    }

    @Test func fullOutputStreamFails() async throws {
        let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: 1000)
        defer { buffer.deallocate() }
        let body = try await body()
        let error = await refusal { try await body.write(to: OutputStream(toBuffer: buffer, capacity: 1000)) }
        #expect(error?.code == .notWritten)
        try await ended()
    }

    @Test func closureThatThrowsClosesTheConnection() async throws {
        let body = try await body()
        await #expect(throws: NothingThrown.self) { try await body.write { _ in throw NothingThrown() } }
        try await ended()
    }

    @Test func rawBodyCanBeWrittenToo() async throws {
        let output = OutputStream.toMemory()
        let response = try await site.client().send(HTTPRequest(.get, site.server), delivery: .stream)
        #expect(try await response.stream.write(to: output) == size)
        #expect(output.property(forKey: .dataWrittenToMemoryStreamKey) as? Data == generated(size))
    }
}
