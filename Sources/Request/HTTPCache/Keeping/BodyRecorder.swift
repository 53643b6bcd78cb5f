import TangoCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Takes the portions of a body while it is delivered: in memory while they are few, then in an entry of its own.
///
/// One task at a time uses it. What fails is the recording alone, never the delivery.
final class BodyRecorder: @unchecked Sendable {
    // Unchecked: whoever reads the body is the only one who adds to it.

    /// Bodies up to this are kept beside their heads, and cost one read.
    static let inlineLimit = 32 << 10

    private let shelf: ResponseShelf
    private let key: CacheKey
    private var beginning = Data()
    private var apart: (writer: CacheWriter, name: String)?
    private(set) var count = 0
    private(set) var failure: (any Error)?

    init(_ shelf: ResponseShelf, _ key: CacheKey) {
        self.shelf = shelf
        self.key = key
    }

    func add(_ portion: Data) async {
        count += portion.count
        guard failure == nil else { return }
        do {
            if let apart {
                try await apart.writer.write(portion)
            } else if count <= Self.inlineLimit {
                if beginning.isEmpty { beginning = portion } else { beginning.append(portion) }
            } else {
                let apart = try await shelf.bodyWriter(for: key)
                self.apart = apart
                if !beginning.isEmpty { try await apart.writer.write(beginning) }
                beginning = Data()
                try await apart.writer.write(portion)
            }
        } catch {
            fail(error)
        }
    }

    /// Where the bytes are; nil if recording them failed.
    func finish() async -> StoredContent.Part.Place? {
        guard failure == nil else { return nil }
        // Places in it are counted from its start.
        guard let apart else { return .here(beginning.startIndex == 0 ? beginning : Data(beginning)) }
        do {
            try await apart.writer.commit()
            return .apart(apart.name)
        } catch {
            fail(error)
            return nil
        }
    }

    func abandon() {
        fail(CancellationError())
    }

    private func fail(_ error: any Error) {
        failure = failure ?? error
        apart?.writer.abandon()
        apart = nil
        beginning = Data()
    }
}
