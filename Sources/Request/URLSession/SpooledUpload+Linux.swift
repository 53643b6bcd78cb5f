#if canImport(FoundationNetworking)
    import Foundation
    import Glibc
    import Synchronization

    /// A body that is all there before it is sent.
    ///
    /// All sessions of a process share one thread, which reads: a stream that makes it wait makes all of them wait. So what is
    /// made by others, at their pace, is made before.
    final class SpooledUpload: SessionUpload {
        let length: Int?
        private let limit: Int
        private let content: Mutex<Content>

        private enum Content {
            case data(Data)
            case file(UploadFile)
            case stream(RequestStream)
        }

        /// Nil where there is no body.
        init?(_ request: HTTPRequest, limit: Int) throws {
            self.limit = limit
            switch request.body.content {
            case .none: return nil
            case .data(let data):
                content = Mutex(.data(data))
                length = data.count
            case .file(let url):
                let file: UploadFile
                do {
                    file = try UploadFile(url)
                } catch var error as RequestError {
                    error.request = request
                    throw error
                }
                content = Mutex(.file(file))
                length = file.size
            case .stream(let stream):
                content = Mutex(.stream(stream))
                length = stream.length
            }
        }

        var isPrepared: Bool {
            content.withLock { if case .stream = $0 { false } else { true } }
        }

        func prepare() async throws {
            guard case .stream(let stream) = content.withLock({ $0 }) else { return }
            func problem(_ detail: String) -> RequestError {
                RequestError(.badBody, phase: .send, detail: detail)
            }
            let next = try stream.makeReader()
            var spool = BodySpool(limit: limit)
            while let portion = try await next() {
                try Task.checkCancellation()
                try spool.append(portion)
                if let length, spool.count > length {
                    throw problem("the stream has more than the \(length) bytes that it announced")
                }
            }
            if let length, spool.count < length {
                throw problem("the stream ended after \(spool.count) of the \(length) bytes that it announced")
            }
            let (data, file) = (spool.data, spool.file)
            content.withLock { $0 = file.map { .file($0) } ?? .data(data) }
        }

        func makeStream(for transfer: SessionTransfer) -> InputStream {
            switch content.withLock({ $0 }) {
            case .data(let data): UploadStream(DataReader(data), of: transfer)
            case .file(let file): UploadStream(FileReader(file), of: transfer)
            case .stream: UploadStream(DataReader(Data()), of: transfer)
            }
        }

        func cancel() {}
    }

    /// Where a stream reads.
    private protocol UploadReader {
        /// Reads some, or 0 at the end.
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    }

    /// A reader in the form in which a session takes a body.
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
                    ? "had \(file.size) bytes when sending began, and has fewer now"
                    : "cannot be read: \(String(cString: strerror(errno)))"
                throw RequestError(.badBody, phase: .send, detail: "\(file.name) \(reason)")
            }
            position += count
            return count
        }
    }
#endif
