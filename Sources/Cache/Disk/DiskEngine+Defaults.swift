#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension DiskEngine {
    func everything() -> CacheEntries {
        entries()
    }

    nonisolated(nonsending) func inspect() async throws -> DiskInspection {
        var inspection = DiskInspection(try await IO.run { try self.fill() })
        let now = Date()
        for try await item in everything() {
            inspection.oldest = min(inspection.oldest ?? item.written, item.written)
            inspection.newest = max(inspection.newest ?? item.written, item.written)
            if Selection.expired(now).contains(item) { inspection.expiredCount += 1 }
        }
        return inspection
    }

    /// Asks for each entry that is listed. Reading removes what is damaged, whether or not it is to be repaired.
    nonisolated(nonsending) func verify(
        repair: Bool, progress: @escaping @Sendable (_ checked: Int, _ total: Int) -> Void
    ) async throws -> CacheVerification {
        var verification = CacheVerification()
        let total = try await IO.run { try self.fill().count }
        for try await item in entries() {
            try Task.checkCancellation()
            let key = item.key
            let isThere = try await IO.run { try self.get(key) != nil }
            verification.checked += 1
            verification.bytes += item.size
            if !isThere, !Selection.expired(Date()).contains(item) {
                verification.damaged.append(.init(key: key, reason: "it is listed, but cannot be read"))
                verification.removed += 1
            }
            if verification.checked % 256 == 0 { progress(verification.checked, total) }
        }
        progress(verification.checked, max(total, verification.checked))
        return verification
    }
}
