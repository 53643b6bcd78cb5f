/// The certificates and keys for a set of rules. All problems that can be found before connecting are found here.
package struct TrustMaterial {
    package enum Client {
        /// Certificates as DER, the client's own first, and its key in its original form.
        case pair([Data], key: Data, isPEM: Bool)
        case pkcs12(Data)
    }

    /// As DER; nil for the authorities of the system.
    package var authorities: [Data]?
    package var client: Client?

    package init(_ rules: ServerTrust.Rules) throws(BadTrust) {
        if !rules.authorities.isEmpty {
            var all: [Data] = []
            for source in rules.authorities { all += try source.certificates() }
            authorities = all
        }
        guard let certificate = rules.clientCertificate else { return }
        switch certificate.form {
        case .pair(let source, let key):
            let (bytes, isPEM) = try key.key(isUnlocked: certificate.passphrase != nil)
            client = .pair(try source.certificates(), key: bytes, isPEM: isPEM)
        case .pkcs12(let source):
            let bytes = try source.read()
            guard let outer = DER(Array(bytes)[...]), outer.kind == DER.sequence,
                outer.parts?.first?.kind == DER.integer
            else {
                throw BadTrust("\(source) is not PKCS #12: pass a PKCS #12 file, or a certificate and a key as PEM")
            }
            client = .pkcs12(bytes)
        }
    }
}

extension CertificateSource {
    /// Returns the certificates as DER, at least one.
    func certificates() throws(BadTrust) -> [Data] {
        let data = try read()
        guard let pem = try parsed(data) else {
            guard DER.publicKey(ofCertificate: data) != nil else {
                throw BadTrust("\(self) is not a certificate: pass one as PEM or DER")
            }
            return [data]
        }
        let certificates = pem.blocks.filter { $0.label == "CERTIFICATE" || $0.label == "X509 CERTIFICATE" }.map(
            \.bytes)
        guard !certificates.isEmpty else {
            let others = Set(pem.blocks.map(\.label)).sorted().joined(separator: ", ")
            throw BadTrust("there is no certificate in \(self), only \(others): pass the certificate")
        }
        for (number, certificate) in certificates.enumerated() where DER.publicKey(ofCertificate: certificate) == nil {
            throw BadTrust("certificate number \(number + 1) in \(self) is damaged: export it again")
        }
        return certificates
    }

    /// Returns the private key.
    fileprivate func key(isUnlocked: Bool) throws(BadTrust) -> (bytes: Data, isPEM: Bool) {
        let data = try read()
        guard let pem = try parsed(data) else {
            guard DER(Array(data)[...])?.kind == DER.sequence, DER.publicKey(ofCertificate: data) == nil else {
                throw BadTrust("\(self) is not a private key: pass one as PEM or DER")
            }
            guard !isUnlocked else {
                throw BadTrust(
                    "a key with a passphrase must be PEM, and \(self) is not: convert it, or remove the passphrase"
                )
            }
            return (data, false)
        }
        guard let key = pem.blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
            throw BadTrust("there is no private key in \(self): pass the file with the key")
        }
        guard !key.isEncrypted || isUnlocked else {
            throw BadTrust("the key in \(self) is encrypted: give its passphrase")
        }
        return (data, true)
    }

    private func parsed(_ data: Data) throws(BadTrust) -> PEM? {
        do {
            return try PEM(data)
        } catch {
            throw BadTrust("\(self) is not valid PEM, because \(error.text): export it again")
        }
    }
}
