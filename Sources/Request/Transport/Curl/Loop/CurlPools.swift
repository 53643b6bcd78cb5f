#if os(Linux)
    /// The pools of a loop: that of the system's rules, one for each set of others, and of each a second one for what has to go
    /// over HTTP/1.1. Belongs to whoever drives the loop.
    struct CurlPools {
        /// The system's, and then the one that was used last at the end.
        private(set) var all: [CurlPool] = []

        private static let most = 16

        /// When the first of them wants to be called.
        var timer: Int64 {
            all.count == 1 ? all[0].timer : all.reduce(.max) { min($0, $1.timer) }
        }

        /// The pool for some rules and versions of HTTP; nil if there is none, and no memory for one.
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

        /// Closes pools that nobody uses, the oldest first, where there are too many. Nobody may be looking at one.
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
