#if canImport(Darwin)
    import Synchronization

    /// A body as streams of the system, which reads them at the pace of the server.
    final class SessionUpload: Sendable {
        /// The declared length of the body, or nil if it is unknown.
        let length: Int?
        /// A Boolean value that indicates whether the body can be read without calling `prepare()`.
        var isPrepared: Bool { emptyStream == nil }
        private let content: Body.Content
        private let state = Mutex(State())

        private struct State {
            var pump: StreamPump?
            var isCancelled = false
        }

        /// A stream whose length is 0. It is read before the request is sent, because the session may not read it.
        private var emptyStream: RequestStream? {
            if case .stream(let stream) = content, stream.length == 0 { stream } else { nil }
        }

        /// Returns nil if there is no body.
        init?(_ request: HTTPRequest, _ configuration: URLSessionTransport.Configuration) throws {
            content = request.body.content
            switch content {
            case .none: return nil
            case .data(let data): length = data.count
            case .stream(let stream): length = stream.length
            case .file(let url):
                let facts = try? url.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
                guard url.isFileURL, facts?.isRegularFile == true, let size = facts?.fileSize,
                    FileManager.default.isReadableFile(atPath: url.path)
                else {
                    throw RequestError(
                        .badBody, phase: .prepare,
                        detail:
                            "\(url.absoluteString.debugDescription) is not a file that can be read: check its path and its permissions",
                        request: request)
                }
                length = size
            }
        }

        func prepare() async throws {
            guard let emptyStream else { return }
            let next = try emptyStream.makeReader()
            while try await next() != nil {}
        }

        func makeStream(for transfer: SessionTransfer) -> InputStream {
            switch content {
            case .none: return InputStream(data: Data())
            case .data(let data): return InputStream(data: data)
            case .file(let url): return InputStream(url: url) ?? InputStream(data: Data())
            case .stream where emptyStream != nil: return InputStream(data: Data())
            case .stream(let stream):
                let (input, pump) = StreamPump.make(stream, for: transfer)
                // If the transfer has ended already, `cancel` has run before. So the new pump is cancelled here.
                let surplus = state.withLock { state in
                    guard !state.isCancelled else { return pump }
                    defer { state.pump = pump }
                    return state.pump
                }
                surplus?.cancel()
                return input
            }
        }

        func cancel() {
            let pump = state.withLock { state in
                state.isCancelled = true
                defer { state.pump = nil }
                return state.pump
            }
            pump?.cancel()
        }
    }

    /// Writes the portions of the user's stream to one end of a bound pair of streams. The session reads the other end.
    final class StreamPump: NSObject, StreamDelegate, @unchecked Sendable {
        private let output: OutputStream
        private let state = Mutex(State())
        private static let queue = DispatchQueue(label: "tango.urlsession.bodies")
        private static let most = 64 << 10

        private struct State {
            var task: Task<Void, Never>?
            var waiter: UnsafeContinuation<Void, Never>?
            var isClosed = false
        }

        static func make(_ stream: RequestStream, for transfer: SessionTransfer) -> (InputStream, StreamPump?) {
            var input: InputStream?
            var output: OutputStream?
            Stream.getBoundStreams(withBufferSize: most, inputStream: &input, outputStream: &output)
            guard let input, let output else { return (InputStream(data: Data()), nil) }
            let pump = StreamPump(output)
            pump.begin(stream, for: transfer)
            return (input, pump)
        }

        private init(_ output: OutputStream) {
            self.output = output
            super.init()
            output.delegate = self
            CFWriteStreamSetDispatchQueue(output, Self.queue)
            output.open()
        }

        private func begin(_ stream: RequestStream, for transfer: SessionTransfer) {
            let task = Task { [weak transfer] in
                do {
                    let next = try stream.makeReader()
                    while let portion = try await Self.next(next, of: transfer) {
                        guard await self.write(portion) else { return }
                    }
                    self.close()
                } catch {
                    transfer?.failBody(error)
                }
            }
            state.withLock { $0.task = task }
        }

        private static func next(
            _ next: RequestStream.Reader, of transfer: SessionTransfer?
        ) async throws -> Data? {
            transfer?.waitsForBody(true)
            defer { transfer?.waitsForBody(false) }
            return try await next()
        }

        /// Writes a portion as room permits. Returns false if the stream is closed.
        private func write(_ portion: Data) async -> Bool {
            var rest = portion
            while !rest.isEmpty {
                guard await hasRoom() else { return false }
                let count = rest.withUnsafeBytes { bytes in
                    bytes.bindMemory(to: UInt8.self).baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
                }
                if count < 0 { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Waits for room. Returns false if the stream is closed.
        private func hasRoom() async -> Bool {
            while true {
                // Every event resumes the waiter, even if there is no room.
                let hasRoom = state.withLock { $0.isClosed ? false : output.hasSpaceAvailable ? true : nil }
                if let hasRoom { return hasRoom }
                await withUnsafeContinuation { continuation in
                    let isReady = state.withLock { state in
                        if state.isClosed || output.hasSpaceAvailable { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            }
        }

        func stream(_ stream: Stream, handle event: Stream.Event) {
            let waiter = state.withLock { state in
                if event == .errorOccurred || event == .endEncountered { state.isClosed = true }
                defer { state.waiter = nil }
                return state.waiter
            }
            waiter?.resume()
        }

        private func close() {
            Self.queue.async { self.output.close() }
        }

        func cancel() {
            let (task, waiter) = state.withLock { state in
                state.isClosed = true
                defer { state.waiter = nil }
                return (state.task, state.waiter)
            }
            task?.cancel()
            waiter?.resume()
            close()
        }
    }
#endif
