/// A stored body that is open for reading. Its bytes can be read whatever happens to the store meanwhile.
struct StoredBody: Sendable {
    enum Piece: Sendable {
        case here(Data)
        /// An entry with a body. The first `skip` bytes are skipped, and then `count` bytes are read.
        case apart(CacheReader, skip: Int, count: Int)
    }

    let pieces: [Piece]
    let count: Int

    static let empty = StoredBody(pieces: [], count: 0)

    private init(pieces: [Piece], count: Int) {
        self.pieces = pieces
        self.count = count
    }

    /// Opens a range of stored content; nil if some of its bytes are gone.
    init?(_ content: StoredContent, _ range: Range<Int>, of key: CacheKey, in store: any CacheStore) async throws {
        var pieces: [Piece] = []
        for part in content.parts where part.bytes.overlaps(range) {
            let wanted = part.bytes.clamped(to: range)
            let skip = wanted.lowerBound - part.bytes.lowerBound
            switch part.place {
            case .here(let data):
                let isAll = wanted.count == data.count
                pieces.append(.here(isAll ? data : data[skip..<(skip + wanted.count)].copied()))
            case .apart(let name):
                let reader = try await store.reader(for: HTTPCacheKey.body(name, of: key))
                guard let reader, reader.item.size == part.bytes.count else { return nil }
                pieces.append(.apart(reader, skip: skip, count: wanted.count))
            }
        }
        self.init(pieces: pieces, count: range.count)
    }

    /// The bytes, if all of them are in memory; else nil.
    var data: Data? {
        switch pieces.count {
        case 0: Data()
        case 1: if case .here(let data) = pieces[0] { data } else { nil }
        default: nil
        }
    }

    var source: any BodySource { StoredBodySource(self) }
}

/// The source that reads a ``StoredBody``.
private final class StoredBodySource: BodySource, @unchecked Sendable {
    // Unchecked: one task at a time reads, and only that task uses the mutable properties.

    private var pieces: ArraySlice<StoredBody.Piece>
    private var current: (reader: CacheReader.Iterator, skip: Int, rest: Int)?
    private var failure: (any Error)?
    private let count: Int
    private var delivered = 0
    private let isLeft = Flag()

    init(_ body: StoredBody) {
        pieces = body.pieces[...]
        count = body.count
    }

    func next() async throws -> Data? {
        if let failure { throw failure }
        do {
            if isLeft.isSet, delivered < count { throw CancellationError() }
            let portion = try await portion()
            delivered += portion?.count ?? 0
            return portion
        } catch {
            failure = error
            throw error
        }
    }

    private func portion() async throws -> Data? {
        while true {
            if var (reader, skip, rest) = current {
                let portion = rest == 0 ? nil : try await reader.next()
                guard let portion else {
                    guard rest == 0 else {
                        throw CacheError(.damaged, "A body in the cache is too short. Fetch it again.")
                    }
                    current = nil
                    continue
                }
                let start = min(skip, portion.count)
                let end = min(start + rest, portion.count)
                skip -= start
                rest -= end - start
                current = (reader, skip, rest)
                if end > start { return start == 0 && end == portion.count ? portion : portion[start..<end].copied() }
                continue
            }
            switch pieces.popFirst() {
            case .here(let data): if !data.isEmpty { return data }
            case .apart(let reader, let skip, let count): current = (reader.makeAsyncIterator(), skip, count)
            case nil: return nil
            }
        }
    }

    func cancel() {
        isLeft.set()
    }

    var ending: BodyStream.Ending? {
        delivered == count ? BodyStream.Ending() : nil
    }
}
