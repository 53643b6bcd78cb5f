#if os(Linux)
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// The body of a response, in the hands of its reader. When it goes, the transfer is left.
    final class CurlBody: BodySource {
        private let transfer: CurlTransfer

        init(_ transfer: CurlTransfer) {
            self.transfer = transfer
        }

        deinit {
            transfer.leave()
        }

        func next() async throws -> Data? {
            try await transfer.portion()
        }

        func cancel() {
            transfer.leave()
        }

        var ending: BodyStream.Ending? { transfer.bodyEnding }
    }
#endif
