#if os(Linux)
    import Glibc
    import Synchronization
    import TangoCCurl

    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Rules other than the system's, ready for libcurl. Each has connections of its own: which settings of TLS libcurl
    /// compares before it uses a connection again is not the same in all of its versions.
    final class CurlTrust: Sendable {
        let tls: CurlTLS
        let rules: ServerTrust.Rules
        private let stamps: [FileStamp]

        init(_ rules: ServerTrust.Rules) throws(BadTrust) {
            self.rules = rules
            // Before they are read: what changes meanwhile is then read again.
            stamps = rules.files.map(FileStamp.init)
            tls = try CurlTLS(rules, TrustMaterial(rules), systemAuthorities: CurlLibrary.authorities)
        }

        /// Whether the files that it was read from are still the same.
        var isCurrent: Bool { stamps.allSatisfy { FileStamp($0.path) == $0 } }
    }

    /// The rules that were read last, so that requests with the same ones share their connections.
    final class CurlTrusts: Sendable {
        private let known = Mutex<[(rules: ServerTrust.Rules, trust: CurlTrust)]>([])
        private static let most = 64

        /// The rules for a request; nil is those of the system.
        func trust(for request: HTTPRequest, _ trust: ServerTrust) throws -> CurlTrust? {
            guard trust != .system, request.url.scheme?.lowercased() == "https" else { return nil }
            let rules = trust.rules(for: request.url.host ?? "")
            guard rules != .system else { return nil }
            do {
                return try find(rules)
            } catch {
                throw RequestError(.badTrust, phase: .prepare, detail: error.text, request: request)
            }
        }

        private func find(_ rules: ServerTrust.Rules) throws(BadTrust) -> CurlTrust {
            let old = known.withLock { known in known.first { $0.rules == rules }?.trust }
            if let old, old.isCurrent { return old }
            let new = try CurlTrust(rules)
            return known.withLock { known in
                if let first = known.first(where: { $0.rules == rules })?.trust, first !== old { return first }
                known.removeAll { $0.rules == rules }
                if known.count == Self.most { known.removeFirst() }
                known.append((rules, new))
                return new
            }
        }
    }

    /// What tells a file from what it was before.
    private struct FileStamp: Equatable {
        let path: String
        private let numbers: [Int]

        init(_ path: String) {
            self.path = path
            var facts = stat()
            numbers =
                stat(path, &facts) == 0
                ? [Int(facts.st_ino), Int(facts.st_size), facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec] : []
        }
    }

    extension ServerTrust.Rules {
        /// The files that they are read from.
        fileprivate var files: [String] {
            var sources = authorities?.sources ?? []
            switch clientCertificate?.form {
            case .pair(let certificate, let key): sources += [certificate, key]
            case .pkcs12(let source): sources.append(source)
            case nil: break
            }
            return sources.compactMap { source in
                if case .file(let path) = source.place { path } else { nil }
            }
        }
    }
#endif
