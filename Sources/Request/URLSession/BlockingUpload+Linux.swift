#if canImport(FoundationNetworking)
    import Foundation
    import Glibc
    import Synchronization

    /// A body that is read by a thread of the session, which may be made to wait.
    final class BlockingUpload: SessionUpload {
        private let content: Content
        private let current = Mutex<UploadStream?>(nil)

        private enum Content {
            case data(Data)
            case file(UploadFile)
            case stream(RequestStream)
        }

        /// Nil where there is no body.
        init?(_ request: HTTPRequest) throws {
            switch request.body.content {
            case .none: return nil
            case .data(let data): content = .data(data)
            case .file(let url): content = .file(try UploadFile(url, for: request))
            case .stream(let stream): content = .stream(stream)
            }
        }

        var length: Int? {
            switch content {
            case .data(let data): data.count
            case .file(let file): file.size
            case .stream(let stream): stream.length
            }
        }

        var mayWait: Bool {
            if case .stream = content { true } else { false }
        }

        func makeStream(for transfer: SessionTransfer) -> InputStream {
            let source: any UploadSource =
                switch content {
                case .data(let data): DataSource(data)
                case .file(let file): FileReader(file)
                case .stream(let stream): PortionSource(stream)
                }
            let stream = UploadStream(source, of: transfer)
            let old = current.withLock { current in
                defer { current = stream }
                return current
            }
            old?.cancel()
            return stream
        }

        func cancel() {
            let stream = current.withLock { current in
                defer { current = nil }
                return current
            }
            stream?.cancel()
        }
    }

    /// Where the bytes of a stream come from. One thread at a time reads, and another may cancel.
    protocol UploadSource: AnyObject, Sendable {
        /// Reads some, or 0 at the end; waits until there are any. Nil is for a source that was cancelled.
        func read(into buffer: UnsafeMutableRawBufferPointer, for transfer: SessionTransfer) throws -> Int?
        func cancel()
    }

    /// A source in the form in which a session takes a body.
    final class UploadStream: InputStream {
        private let source: any UploadSource
        private weak var transfer: SessionTransfer?
        private var status = Stream.Status.notOpen

        init(_ source: any UploadSource, of transfer: SessionTransfer) {
            self.source = source
            self.transfer = transfer
            super.init(data: Data())
        }

        func cancel() {
            source.cancel()
        }

        override func open() { status = .open }
        override func close() { status = .closed }
        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { nil }
        override var hasBytesAvailable: Bool { true }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            guard let transfer else { return -1 }
            do {
                let bytes = UnsafeMutableRawBufferPointer(start: buffer, count: maxLength)
                return try source.read(into: bytes, for: transfer) ?? -1
            } catch let error as RequestError {
                var error = error
                error.request = transfer.request
                transfer.settle(.failure(error))
            } catch {
                transfer.fail(.badBody, "the stream of the body failed: \(error)", phase: .send, error)
            }
            return -1
        }
    }

    /// Bytes in memory.
    private final class DataSource: UploadSource, @unchecked Sendable {
        private let data: Data
        private var position = 0

        init(_ data: Data) {
            self.data = data
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, for transfer: SessionTransfer) -> Int? {
            let count = min(buffer.count, data.count - position)
            let start = data.startIndex + position
            data.copyBytes(to: buffer.bindMemory(to: UInt8.self), from: start..<start + count)
            position += count
            return count
        }

        func cancel() {}
    }

    /// A file that is open, and how long it was then.
    final class UploadFile: Sendable {
        let descriptor: Int32
        let path: String
        let size: Int

        init(_ url: URL, for request: HTTPRequest) throws {
            path = url.path
            func refuse(_ code: RequestError.Code, _ detail: String) -> RequestError {
                RequestError(code, phase: .prepare, detail: detail, request: request)
            }
            guard url.isFileURL else {
                throw refuse(.badBody, "\(url.absoluteString.debugDescription) is not the URL of a file")
            }
            // A pipe would have to be waited for, until somebody writes to it.
            let opened = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
            guard opened >= 0 else {
                let isExhausted = errno == EMFILE || errno == ENFILE || errno == ENOMEM
                let reason = String(cString: strerror(errno))
                throw refuse(
                    isExhausted ? .outOfResources : .badBody,
                    "the file \(path.debugDescription) cannot be opened: \(reason)")
            }
            var facts = stat()
            guard fstat(opened, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
                Glibc.close(opened)
                throw refuse(.badBody, "\(path.debugDescription) is not a regular file")
            }
            descriptor = opened
            size = Int(facts.st_size)
        }

        deinit {
            Glibc.close(descriptor)
        }
    }

    private final class FileReader: UploadSource, @unchecked Sendable {
        private let file: UploadFile
        private var position = 0

        init(_ file: UploadFile) {
            self.file = file
        }

        func read(into buffer: UnsafeMutableRawBufferPointer, for transfer: SessionTransfer) throws -> Int? {
            let wanted = min(buffer.count, file.size - position)
            guard wanted > 0 else { return 0 }
            let count = pread(file.descriptor, buffer.baseAddress, wanted, position)
            guard count > 0 else {
                let reason =
                    count == 0
                    ? "had \(file.size) bytes when sending began, and has fewer now"
                    : "cannot be read: \(String(cString: strerror(errno)))"
                throw RequestError(.badBody, phase: .send, detail: "the file \(file.path.debugDescription) \(reason)")
            }
            position += count
            return count
        }

        func cancel() {}
    }
#endif
