extension ServerTrust {
    /// What tells apart for a cache whose answers are whose, and how far they can be relied on: who comes with another
    /// certificate is somebody else, and what a server has said that was trusted too easily is not for those who ask for more.
    /// Nil for what the system trusts.
    ///
    /// The same each time the application runs. A file counts by its name.
    func digest(for host: @autoclosure () throws -> String?) rethrows -> String? {
        guard !terms.isEmpty else { return nil }
        let rules = try rules(for: host() ?? "")
        return rules == .system ? nil : String(SHA256.hex(rules.text.utf8).prefix(32))
    }
}

extension ServerTrust.Rules {
    fileprivate var text: String {
        var lines = pins.map(\.description).sorted()
        if let authorities {
            lines += authorities.sources.map(\.name).sorted()
            lines.append(authorities.besidesSystem ? "besides the system's" : "alone")
        }
        switch clientCertificate?.form {
        case .pair(let certificate, let key): lines.append("certificate \(certificate.name) \(key.name)")
        case .pkcs12(let source): lines.append("identity \(source.name)")
        case nil: break
        }
        lines.append("\(minimumTLS)")
        if let certificateName { lines.append("name \(certificateName)") }
        if isDevelopment { lines.append("development") }
        return lines.joined(separator: "\n")
    }
}

extension CertificateSource {
    fileprivate var name: String {
        switch place {
        case .file(let path): "file \(path)"
        case .memory(let data): "data \(SHA256.hex(data))"
        }
    }
}
