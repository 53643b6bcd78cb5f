extension ServerTrust {
    /// A digest that separates the cached responses of different rules, or nil for the rules of the system.
    ///
    /// A client with another certificate is another user to the server. A response that was received under weak rules
    /// must not be used under stricter rules.
    ///
    /// The digest is the same in each run of the application. A file is identified by its path.
    package func digest(for host: @autoclosure () throws -> String?) rethrows -> String? {
        guard !terms.isEmpty else { return nil }
        var rules = try rules(for: host() ?? "")
        // Reports change nothing for the request.
        rules.reporters = []
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
