#if os(Linux)
    /// The pools of a loop: one for the rules of the system and one for each other set of rules. Each may have a second
    /// pool for transfers that need HTTP/1.1. Used by the loop's driver only.
    struct CurlPools {
        /// The system's pool is first. The others follow, with the most recently used last.
        private(set) var all: [CurlPool] = []

        private static let most = 16

        /// The earliest time at which a pool asks to be called.
        var timer: Int64 {
            all.count == 1 ? all[0].timer : all.reduce(.max) { min($0, $1.timer) }
        }

        /// Returns the pool for a set of rules and a version of HTTP, or nil if there is no memory for a new one.
        mutating func pool(for trust: CurlTrust?, http2: Bool, of loop: CurlLoop) -> CurlPool? {
            if let system = all.first, trust == nil, system.http2 == http2 { return system }
            if let place = all.dropFirst().lastIndex(where: { $0.trust === trust && $0.http2 == http2 }) {
                let pool = all.remove(at: place)
                all.append(pool)
                return pool
            }
            guard let pool = CurlPool(trust, http2: http2, of: loop) else { return nil }
            all.append(pool)
            return pool
        }

        /// Closes unused pools, the least recently used first, if there are too many. No caller may be using a pool.
        mutating func trim() {
            while all.count > Self.most, let place = all.dropFirst().firstIndex(where: { $0.users == 0 }) {
                all.remove(at: place).close()
            }
        }

        func close() {
            for pool in all { pool.close() }
        }
    }
#endif
