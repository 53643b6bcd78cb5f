#if os(Linux)
    /// Who may begin: counts the requests under way, in all and by host, and keeps the others in order.
    struct CurlQueue {
        private let total: Int
        private let perHost: Int
        private var count = 0
        private var hosts: [String: Int] = [:]
        private var waiting: [CurlTransfer] = []

        init(total: Int?, perHost: Int?) {
            self.total = max(total ?? .max, 1)
            self.perHost = max(perHost ?? .max, 1)
        }

        private var isUnlimited: Bool { total == .max && perHost == .max }

        /// Whether a transfer may begin at once; if not, it waits.
        mutating func admit(_ transfer: CurlTransfer) -> Bool {
            guard !isUnlimited else { return true }
            guard hasRoom(for: transfer.host) else {
                waiting.append(transfer)
                return false
            }
            enter(transfer)
            return true
        }

        /// A transfer has ended, or given up waiting: returns who may begin now.
        mutating func leave(_ transfer: CurlTransfer) -> [CurlTransfer] {
            guard !isUnlimited else { return [] }
            guard transfer.isAdmitted else {
                waiting.removeAll { $0 === transfer }
                return []
            }
            transfer.isAdmitted = false
            count -= 1
            if perHost < .max {
                let left = (hosts[transfer.host] ?? 1) - 1
                hosts[transfer.host] = left == 0 ? nil : left
            }
            guard let next = waiting.firstIndex(where: { hasRoom(for: $0.host) }) else { return [] }
            let transfer = waiting.remove(at: next)
            enter(transfer)
            return [transfer]
        }

        mutating func removeAll() {
            waiting = []
        }

        private func hasRoom(for host: String) -> Bool {
            count < total && (perHost == .max || hosts[host] ?? 0 < perHost)
        }

        private mutating func enter(_ transfer: CurlTransfer) {
            transfer.isAdmitted = true
            count += 1
            if perHost < .max { hosts[transfer.host, default: 0] += 1 }
        }
    }
#endif
