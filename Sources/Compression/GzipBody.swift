/// A file or a stream that is compressed while it is sent.
enum GzipBody {
    /// Returns a stream of a file. A missing file is an error before anything is sent.
    static func stream(of file: URL) throws -> RequestStream {
        try Deflation.checkLibrary()
        _ = try source(file)
        return RequestStream(length: nil, isReplayable: true) {
            let source = try source(file)
            let open = try source.open()
            let count = source.count
            var offset: Int64 = 0
            return try compressing {
                guard offset < count else { return nil }
                var portion = Data(count: Int(min(count - offset, 256 << 10)))
                try portion.withUnsafeMutableBytes { try open.read(into: $0, at: offset) }
                offset += Int64(portion.count)
                return portion
            }
        }
    }

    /// Returns a stream of another stream, which is sent as often as that one.
    static func stream(of stream: RequestStream) throws -> RequestStream {
        try Deflation.checkLibrary()
        return RequestStream(length: nil, isReplayable: stream.isReplayable) {
            try compressing(stream.makeReader())
        }
    }

    /// Returns a reader of the compressed portions. No portion is empty, because that would end a body in chunks.
    private static func compressing(_ next: @escaping RequestStream.Reader) throws -> RequestStream.Reader {
        let deflation = try Deflation()
        var isOver = false
        return {
            while !isOver {
                let portion = try await next()
                isOver = portion == nil
                let result = deflation.encode(portion ?? Data(), isLast: isOver)
                if !result.isEmpty { return result }
            }
            return nil
        }
    }

    private static func source(_ file: URL) throws -> FileSource {
        do {
            return try FileSource(file)
        } catch let error as RequestEncodingError {
            throw RequestError(error)
        }
    }
}
