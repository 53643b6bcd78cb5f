#if os(Linux) && URLSessionOnLinux
    import Foundation
    import Glibc
    import Synchronization

    /// A body that is complete before it is sent.
    ///
    /// All sessions of a process share one thread, which also reads the bodies. A stream that blocks this thread blocks
    /// all sessions. So a stream of the user is read to its end first.
    final class SpooledUpload: SessionUpload {
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
        init?(_ request: HTTPRequest, limit: Int) throws {
            self.limit = limit
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
            var spool = BodySpool(limit: limit)
            while let portion = try await next() {
                try Task.checkCancellation()
                try spool.append(portion)
            }
            let (data, file) = (spool.data, spool.file)
            state.withLock { $0.content = file.map { .file($0) } ?? .data(data) }
        }

        func makeStream(for transfer: SessionTransfer) -> InputStream {
            switch state.withLock(\.content) {
            case .data(let data): return UploadStream(DataReader(data), of: transfer)
            case .file(let file): return UploadStream(FileReader(file), of: transfer)
            case .place(let url):
                do {
                    let file = try UploadFile(url)
                    state.withLock { $0 = State(content: .file(file), length: file.size) }
                    return UploadStream(FileReader(file), of: transfer)
                } catch {
                    transfer.failBody(error)
                    return UploadStream(DataReader(Data()), of: transfer)
                }
            case .stream: return UploadStream(DataReader(Data()), of: transfer)
            }
        }

        func cancel() {}
    }

    /// The source of a stream.
    private protocol UploadReader {
        /// Reads some bytes. Returns 0 at the end.
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    }

    /// An input stream for a session, which reads from an `UploadReader`.
    private final class UploadStream: InputStream {
        private var reader: any UploadReader
        private weak var transfer: SessionTransfer?
        private var status = Stream.Status.notOpen

        init(_ reader: any UploadReader, of transfer: SessionTransfer) {
            self.reader = reader
            self.transfer = transfer
            super.init(data: Data())
        }

        override func open() { status = .open }
        override func close() { status = .closed }
        override var streamStatus: Stream.Status { status }
        override var streamError: (any Error)? { nil }
        override var hasBytesAvailable: Bool { true }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            guard let transfer, !transfer.isOver else { return -1 }
            do {
                return try reader.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
            } catch {
                transfer.failBody(error)
                return -1
            }
        }
    }

    private struct DataReader: UploadReader {
        private var rest: Data

        init(_ data: Data) {
            rest = data
        }

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let count = rest.copyBytes(to: buffer)
            rest = rest.dropFirst(count)
            return count
        }
    }

    private struct FileReader: UploadReader {
        private let file: UploadFile
        private var position = 0

        init(_ file: UploadFile) {
            self.file = file
        }

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let wanted = min(buffer.count, file.size - position)
            guard wanted > 0 else { return 0 }
            let count = pread(file.descriptor, buffer.baseAddress, wanted, position)
            guard count > 0 else {
                let reason =
                    count == 0
                    ? "had \(file.size) bytes when sending began, and has fewer now: send a copy if it is still being written"
                    : "cannot be read: \(String(cString: strerror(errno)))"
                throw RequestError(.badBody, phase: .send, detail: "\(file.name) \(reason)")
            }
            position += count
            return count
        }
    }
#endif
