#if os(Linux)
    /// A body in memory, which is not copied as a whole.
    final class CurlDataUpload: CurlUpload, @unchecked Sendable {
        private let data: Data
        private(set) var position = 0

        init(_ data: Data) {
            self.data = data
        }

        var length: Int? { data.count }

        func attach(to transfer: CurlTransfer) {}

        func open() -> Bool { true }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlUploadStep {
            let count = min(buffer.count, data.count - position)
            guard count > 0 else { return .some(0) }
            let start = data.startIndex + position
            data.copyBytes(to: buffer.bindMemory(to: UInt8.self), from: start..<start + count)
            position += count
            return .some(count)
        }

        func rewind() -> Bool {
            position = 0
            return true
        }

        func cancel() {}
    }
#endif
