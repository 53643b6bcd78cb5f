#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// A pipe that wakes a waiting poller.
final class Wakeup: Sendable {
    let reading: Int32
    private let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Socket.failure("open a pipe") }
        ends.forEach(Socket.prepare)
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Wakes the poller. If the pipe is full, the write fails, but the poller wakes as well.
    func wake() {
        var byte: UInt8 = 0
        _ = write(writing, &byte, 1)
    }

    func empty() {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            while read(reading, buffer.baseAddress, buffer.count) > 0 {}
        }
    }
}
