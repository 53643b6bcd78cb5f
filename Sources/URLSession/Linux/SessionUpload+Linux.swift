#if os(Linux) && URLSessionOnLinux
    import Synchronization

    /// A body that is complete before it is sent.
    ///
    /// All sessions of a process share one thread, which also reads the bodies. A stream that blocks this thread blocks
    /// all sessions. So a stream of the user is read to its end first.
    final class SessionUpload: Sendable {
        private let limit: Int
        private let state: Mutex<State>

        private struct State {
            var content: Content
            /// The declared length of the body. A file may grow while its transfer waits in the queue.
            var length: Int?
        }

        private enum Content {
            case data(Data)
            /// A file that is opened when the transfer begins, because many transfers may wait.
            case place(URL)
            case file(UploadFile)
            case stream(RequestStream)
        }

        /// Returns nil if there is no body.
        init?(_ request: HTTPRequest, _ configuration: URLSessionTransport.Configuration) throws {
            limit = configuration.spool
            switch request.body.content {
            case .none: return nil
            case .data(let data): state = Mutex(State(content: .data(data), length: data.count))
            case .file(let url):
                do {
                    state = Mutex(State(content: .place(url), length: try UploadFile.length(url)))
                } catch var error as RequestError {
                    error.request = request
                    throw error
                }
            case .stream(let stream): state = Mutex(State(content: .stream(stream), length: stream.length))
            }
        }

        var length: Int? { state.withLock(\.length) }

        var isPrepared: Bool {
            state.withLock { if case .stream = $0.content { false } else { true } }
        }

        func prepare() async throws {
            guard case .stream(let stream) = state.withLock(\.content) else { return }
            let next = try stream.makeReader()
            var data = Data()
            while let portion = try await next() {
                try Task.checkCancellation()
                guard portion.count <= limit - data.count else {
                    throw RequestError(
                        .badBody, phase: .prepare,
                        detail: "the stream has more than \(limit) bytes: raise `spool` in the configuration of the "
                            + "transport")
                }
                data.append(portion)
            }
            state.withLock { [data] in $0.content = .data(data) }
        }

        func makeStream(for transfer: SessionTransfer) -> InputStream {
            switch state.withLock(\.content) {
            case .data(let data): return UploadStream(data, of: transfer)
            case .file(let file): return UploadStream(file, of: transfer)
            case .place(let url):
                do {
                    let file = try UploadFile(url)
                    state.withLock { $0 = State(content: .file(file), length: file.size) }
                    return UploadStream(file, of: transfer)
                } catch {
                    transfer.failBody(error)
                    return UploadStream(Data(), of: transfer)
                }
            case .stream: return UploadStream(Data(), of: transfer)
            }
        }

        func cancel() {}
    }

    /// An input stream for a session.
    private final class UploadStream: InputStream {
        /// Reads some bytes. Returns 0 at the end.
        private let reader: (UnsafeMutableRawBufferPointer) throws -> Int
        private weak var transfer: SessionTransfer?
        private var status = Stream.Status.notOpen

        init(of transfer: SessionTransfer, _ reader: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
            self.reader = reader
            self.transfer = transfer
            super.init(data: Data())
        }

        convenience init(_ data: Data, of transfer: SessionTransfer) {
            var rest = data
            self.init(of: transfer) { buffer in
                let count = rest.copyBytes(to: buffer)
                rest = rest.dropFirst(count)
                return count
            }
        }

        convenience init(_ file: UploadFile, of transfer: SessionTransfer) {
            var position = 0
            self.init(of: transfer) { buffer in
                let count = try file.read(into: buffer, at: position)
                position += count
                return count
            }
        }

        override func open() { status = .open }
        override func close() { status = .closed }
        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { nil }
        override var hasBytesAvailable: Bool { true }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            guard let transfer, !transfer.isOver else { return -1 }
            do {
                return try reader(UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
            } catch {
                transfer.failBody(error)
                return -1
            }
        }
    }
#endif
