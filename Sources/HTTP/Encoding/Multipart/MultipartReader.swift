/// Reads the body of a form in portions, from beginning to end.
///
/// It holds one portion of one file at a time. Reading blocks the thread while the disk is busy. A copy continues
/// independently from the current position.
package struct MultipartReader: Sendable {
    private enum Source {
        case data(Data)
        case file(FileSource)

        var count: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(let file): file.count
            }
        }
    }

    /// The number of bytes of the whole body.
    package let count: Int64

    /// The number of bytes that have been read.
    package private(set) var position: Int64 = 0

    private let sources: [Source]
    private var current = 0
    private var offset: Int64 = 0
    private var open: FileSource.Open?

    init(_ form: Multipart) throws {
        var sources: [Source] = []
        var text = ""
        for part in form.parts {
            text += "--\(form.boundary)\r\n\(try part.head())"
            switch part.content {
            case .data(let data): sources += [.data(Data(text.utf8)), .data(data)]
            case .file(let url): sources += [.data(Data(text.utf8)), .file(try FileSource(url))]
            }
            text = "\r\n"
        }
        sources.append(.data(Data("\(text)--\(form.boundary)--\r\n".utf8)))
        self.sources = sources
        count = sources.reduce(0) { $0 + $1.count }
    }

    /// Returns the next bytes: as many as requested, fewer only at the end, and nil after the end.
    ///
    /// - Parameter limit: The greatest number of bytes, at least 1.
    /// - Throws: An error if a file is missing, cannot be read or has changed its length. The
    ///   position of the reader then stays the same.
    package mutating func next(upTo limit: Int) throws -> Data? {
        let size = Int(min(Int64(max(1, limit)), count - position))
        guard size > 0 else { return nil }
        var next = self
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        do {
            var filled = 0
            while filled < size || next.isAtEmptySource {
                filled += try next.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
            }
        } catch {
            buffer.deallocate()
            throw error
        }
        next.position += Int64(size)
        self = next
        guard let start = buffer.baseAddress else { return nil }
        return Data(bytesNoCopy: start, count: size, deallocator: .custom { start, _ in start.deallocate() })
    }

    /// A Boolean value that indicates whether the next part is empty. An empty file must still exist and still be
    /// empty.
    private var isAtEmptySource: Bool {
        current < sources.count && sources[current].count == 0
    }

    /// Copies bytes of the current source. At its end, moves on to the next source.
    private mutating func fill(_ buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let source = sources[current]
        let size = Int(min(Int64(buffer.count), source.count - offset))
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[..<size])
        switch source {
        case .data(let data):
            let start = data.startIndex + Int(offset)
            data.copyBytes(to: target, from: start..<(start + size))
        case .file(let file):
            let open = try open ?? file.open()
            self.open = open
            try open.read(into: target, at: offset)
            if offset + Int64(size) == source.count {
                try open.checkLength()
                self.open = nil
            }
        }
        offset += Int64(size)
        if offset == source.count {
            current += 1
            offset = 0
        }
        return size
    }
}
