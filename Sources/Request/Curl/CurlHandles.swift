#if os(Linux)
    /// The handles that no transfer uses at the moment. Belongs to whoever drives the loop.
    final class CurlHandles: @unchecked Sendable {
        private var idle: [CurlHandle] = []
        private let most = 128

        /// A handle, used before if there is one; nil where libcurl has no memory.
        func take(for loop: CurlLoop) -> CurlHandle? {
            idle.popLast() ?? CurlHandle(loop)
        }

        func give(back handle: CurlHandle) {
            if idle.count < most { idle.append(handle) }
        }

        func removeAll() {
            idle = []
        }
    }
#endif
