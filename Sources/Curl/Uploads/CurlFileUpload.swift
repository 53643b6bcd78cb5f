#if os(Linux)
    import Dispatch
    import Glibc
    import Synchronization
    import TangoCLinux

    /// A body in a file. Bytes in the page cache are read at once, other bytes by a thread that may block.
    ///
    /// The file is examined when the upload is created, so a missing file fails at once. It is opened when the transfer
    /// begins, so requests that wait in a queue hold no descriptors.
    final class CurlFileUpload: CurlUpload, @unchecked Sendable {
        private let path: String
        // The loop's driver uses all of this. The descriptor does not change while another thread reads.
        private var descriptor: Int32 = -1
        private var size: Int
        private var version: String?
        private(set) var position = 0
        private let ahead = Mutex<Ahead>(.none)
        private let owner = Mutex(Owner())

        /// A portion that is read ahead by another thread.
        private enum Ahead {
            case none
            case reading
            case ready(Data)
            case failed(Int32)
        }

        private struct Owner {
            weak var transfer: CurlTransfer?
        }

        private static let queue = DispatchQueue.global()
        private static let portion = 1 << 20

        init(_ url: URL) throws(RequestError) {
            path = url.path
            size = 0
            var facts = stat()
            guard stat(path, &facts) == 0, access(path, R_OK) == 0 else { throw cannotOpen(errno) }
            size = try length(of: facts)
        }

        func open() throws(RequestError) -> Bool {
            guard descriptor < 0 else { return true }
            // Opening a pipe would block until a process writes to it.
            descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard descriptor >= 0 else { throw cannotOpen(errno) }
            var facts = stat()
            guard fstat(descriptor, &facts) == 0 else { throw cannotOpen(errno) }
            size = try length(of: facts)
            version = FileStatus(of: descriptor)?.version
            return true
        }

        private func length(of facts: stat) throws(RequestError) -> Int {
            guard facts.st_mode & S_IFMT == S_IFREG else {
                throw RequestError.badBody(
                    "\(path.debugDescription) is not a regular file: send a file, not a folder or a device"
                ).at(.prepare)
            }
            return Int(facts.st_size)
        }

        private func cannotOpen(_ code: Int32) -> RequestError {
            Self.failure("the file \(path.debugDescription) cannot be opened", code)
        }

        deinit {
            if descriptor >= 0 { close(descriptor) }
        }

        var length: Int? { size }

        func attach(to transfer: CurlTransfer) {
            owner.withLock { $0.transfer = transfer }
        }

        func read(into buffer: UnsafeMutableRawBufferPointer) -> CurlUploadStep {
            let wanted = min(buffer.count, size - position)
            guard wanted > 0 else { return .some(0) }
            switch takeAhead(into: buffer, wanted) {
            case .some(let step): return step
            case nil: break
            }
            var vector = iovec(iov_base: buffer.baseAddress, iov_len: wanted)
            let count = tango_read_at_once(descriptor, &vector, 1, Int64(position))
            if count > 0 {
                position += count
                return step(count)
            }
            if count == 0 { return .failed(shorter) }
            readAhead()
            return .later
        }

        /// Returns the outcome of reading ahead, or nil if nothing was read ahead.
        private func takeAhead(into buffer: UnsafeMutableRawBufferPointer, _ wanted: Int) -> CurlUploadStep? {
            ahead.withLock { ahead in
                switch ahead {
                case .none: return nil
                case .reading: return .later
                case .failed(let code):
                    return .failed(Self.failure("the file \(path.debugDescription) cannot be read", code))
                case .ready(let data):
                    guard !data.isEmpty else { return .failed(shorter) }
                    let count = min(wanted, data.count)
                    data.copyBytes(
                        to: buffer.bindMemory(to: UInt8.self), from: data.startIndex..<data.startIndex + count)
                    position += count
                    ahead = count == data.count ? .none : .ready(data.dropFirst(count))
                    return step(count)
                }
            }
        }

        /// Returns a portion, unless it is the last one of a file that has changed. So the server never takes the body for a
        /// complete one.
        private func step(_ count: Int) -> CurlUploadStep {
            guard position == size, FileStatus(of: descriptor)?.version != version else { return .some(count) }
            return .failed(
                .badBody(
                    "the file \(path.debugDescription) was changed while it was sent: send a copy if it is still being written"
                ))
        }

        private func readAhead() {
            ahead.withLock { $0 = .reading }
            let start = position
            let count = min(Self.portion, size - start)
            Self.queue.async {
                var data = Data(count: count)
                let read = data.withUnsafeMutableBytes { pread(self.descriptor, $0.baseAddress, count, start) }
                let code = errno
                self.ahead.withLock { $0 = read < 0 ? .failed(code) : .ready(data.prefix(read)) }
                if let transfer = self.owner.withLock({ $0.transfer }) { transfer.loop.submit(.send(transfer)) }
            }
        }

        private var shorter: RequestError {
            .badBody(
                "the file \(path.debugDescription) had \(size) bytes when sending began, and has fewer now: send a copy if it is still being written"
            )
        }

        func rewind() -> Bool {
            guard ahead.withLock({ if case .reading = $0 { false } else { true } }) else { return false }
            ahead.withLock { $0 = .none }
            position = 0
            return true
        }

        func cancel() {}

        private static func failure(_ what: String, _ code: Int32) -> RequestError {
            let isExhausted = code == EMFILE || code == ENFILE || code == ENOMEM
            let advice = isExhausted ? "limit the number of calls in flight" : "check its path and its permissions"
            let failure = RequestError.badBody("\(what) (\(String(cString: strerror(code)))): \(advice)")
            return isExhausted
                ? RequestError(.outOfResources, phase: .prepare, detail: failure.detail) : failure.at(.prepare)
        }
    }

    extension RequestError {
        func at(_ phase: Phase) -> RequestError {
            var copy = self
            copy.phase = phase
            return copy
        }
    }
#endif
