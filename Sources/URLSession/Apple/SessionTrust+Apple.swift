#if canImport(Darwin)
    import Security

    /// The rules of trust and the client certificate, ready for the system.
    ///
    /// `ServerTrust.Rules.failure(of:system:)` evaluates the findings of the system, as on other platforms.
    final class SessionTrust: Sendable {
        let rules: ServerTrust.Rules
        /// As DER; nil for the authorities of the system.
        private let authorities: [Data]?
        private let identity: URLCredential?

        init(_ rules: ServerTrust.Rules) throws(BadTrust) {
            self.rules = rules
            let material = try TrustMaterial(rules)
            authorities = material.authorities
            identity =
                switch material.client {
                case .pkcs12(let bytes): try Self.identity(bytes, rules.clientCertificate?.passphrase?.text ?? "")
                // The transport refused a pair before.
                case .pair, nil: nil
                }
        }

        enum Disposition {
            case standard
            case credential(URLCredential)
            /// Continues without a client certificate.
            case nothing
            /// Delivers the response that contains the challenge.
            case unanswered
            case refuse(TrustFailure, presented: PublicKeyPin?, saying: String)
        }

        func disposition(for challenge: URLAuthenticationChallenge) -> Disposition {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust:
                // Without custom rules, the default evaluation of the platform applies.
                guard let chain = space.serverTrust, !rules.needs.isDisjoint(with: Self.evaluated) else {
                    return .standard
                }
                return evaluate(chain, space.host)
            // Without a credential, the system would search the keychain.
            case NSURLAuthenticationMethodClientCertificate: return identity.map { .credential($0) } ?? .nothing
            // The session has the credentials of a proxy. A server gets no credentials, even if the system knows some.
            default: return space.isProxy() ? .standard : .unanswered
            }
        }

        /// The rules that this type evaluates by itself.
        private static let evaluated: TransportCapabilities = [.pins, .authorities, .developmentHosts]

        private func evaluate(_ chain: SecTrust, _ host: String) -> Disposition {
            SecTrustSetPolicies(chain, SecPolicyCreateSSL(true, host as CFString))
            if let authorities {
                let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                SecTrustSetAnchorCertificates(chain, anchors as CFArray)
                SecTrustSetAnchorCertificatesOnly(chain, !rules.trustsSystem)
            }
            var problem: CFError?
            let isTrusted = SecTrustEvaluateWithError(chain, &problem)
            let certificates = SecTrustCopyCertificateChain(chain) as? [SecCertificate] ?? []
            let finding = isTrusted ? nil : SessionTrustCause(status: problem.map { CFErrorGetCode($0) } ?? 0).failure
            let bytes = certificates.map { SecCertificateCopyData($0) as Data }
            let presented = bytes.first.flatMap { PublicKeyPin(der: $0) }
            guard let failure = rules.failure(of: bytes, system: finding) else {
                rules.report(presented, host: host)
                return .credential(URLCredential(trust: chain))
            }
            return .refuse(
                failure, presented: presented, saying: problem.map { CFErrorCopyDescription($0) as String } ?? "")
        }

        private static func identity(_ bytes: Data, _ passphrase: String) throws(BadTrust) -> URLCredential {
            let options: [String: Any] = [
                kSecImportExportPassphrase as String: passphrase, kSecImportToMemoryOnly as String: true,
            ]
            var items: CFArray?
            let status = SecPKCS12Import(bytes as CFData, options as CFDictionary, &items)
            guard status == errSecSuccess, let item = (items as? [[String: Any]])?.first,
                let found = item[kSecImportItemIdentity as String] as CFTypeRef?,
                CFGetTypeID(found) == SecIdentityGetTypeID()
            else {
                throw BadTrust(
                    status == errSecAuthFailed
                        ? "the passphrase of the PKCS #12 is wrong: correct it"
                        : "the PKCS #12 contains no certificate with its key that the system can read (\(status)): export it again"
                )
            }
            // The first certificate is that of the identity. A server that knows only the root needs the intermediate
            // ones as well.
            let chain = item[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
            return URLCredential(
                identity: unsafeDowncast(found, to: SecIdentity.self), certificates: Array(chain.dropFirst()),
                persistence: .forSession)
        }
    }
#endif
