#if os(Linux)
    import Synchronization

    /// Memory for the portions of streams, reused after their reader has released them.
    ///
    /// The kernel provides new memory of this size page by page, which takes longer than filling it.
    final class CurlBuffers: Sendable {
        static let size = 256 << 10
        /// Portions below this length are copied, so that they occupy no more memory than they need.
        private static let smallestPooled = 64 << 10
        private static let most = 16

        private struct Idle: @unchecked Sendable {
            var memory: [UnsafeMutableRawPointer] = []
        }

        private let idle = Mutex(Idle())

        deinit {
            for memory in idle.withLock({ $0.memory }) { memory.deallocate() }
        }

        func take() -> UnsafeMutableRawPointer {
            idle.withLock { Address($0.memory.popLast()) }.pointer
                ?? .allocate(byteCount: Self.size, alignment: 64)
        }

        func give(back memory: UnsafeMutableRawPointer) {
            let memory = Address(memory)
            let isPooled = idle.withLock { idle in
                guard idle.memory.count < Self.most, let pointer = memory.pointer else { return false }
                idle.memory.append(pointer)
                return true
            }
            if !isPooled { memory.pointer?.deallocate() }
        }

        /// Returns the contents of a buffer as data that returns the buffer on release, or nil if copying is better.
        func data(_ memory: UnsafeMutableRawPointer, count: Int) -> Data? {
            guard count >= Self.smallestPooled else { return nil }
            let buffers = self
            return Data(
                bytesNoCopy: memory, count: count,
                deallocator: .custom { memory, _ in buffers.give(back: memory) })
        }

        private struct Address: @unchecked Sendable {
            let pointer: UnsafeMutableRawPointer?

            init(_ pointer: UnsafeMutableRawPointer?) {
                self.pointer = pointer
            }
        }
    }
#endif
