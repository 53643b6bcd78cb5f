#if canImport(Darwin)
    import Foundation
    import Security

    /// What a transfer asks of the server's certificates, and shows of its own, ready for the system.
    ///
    /// What the system finds is judged by ``ServerTrust/Rules/failure(of:system:)``, as everywhere.
    final class SessionTrust: Sendable {
        let rules: ServerTrust.Rules
        /// As DER; nil is those of the system.
        private let authorities: [Data]?
        private let identity: URLCredential?

        init(_ rules: ServerTrust.Rules) throws(BadTrust) {
            self.rules = rules
            let material = try TrustMaterial(rules)
            authorities = material.authorities
            identity =
                switch material.client {
                case .pkcs12(let bytes): try Self.identity(bytes, rules.clientCertificate?.passphrase?.text ?? "")
                // Refused before.
                case .pair, nil: nil
                }
        }

        enum Answer {
            case standard
            case credential(URLCredential)
            /// It goes on without showing anything.
            case nothing
            /// The response that asks is the response.
            case unanswered
            case refuse(TrustFailure, saying: String)
        }

        func answer(_ challenge: URLAuthenticationChallenge) -> Answer {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust:
                // Without rules of one's own, the system's evaluation is the one of the whole platform.
                guard let chain = space.serverTrust, !rules.pins.isEmpty || authorities != nil || rules.isDevelopment
                else { return .standard }
                return judge(chain, space.host)
            // By itself, the system would look for one in the keychain.
            case NSURLAuthenticationMethodClientCertificate: return identity.map { .credential($0) } ?? .nothing
            // The name and the password of a proxy are those of the session; a server is told nothing, also where the
            // system knows who the user is.
            default: return space.isProxy() ? .standard : .unanswered
            }
        }

        private func judge(_ chain: SecTrust, _ host: String) -> Answer {
            SecTrustSetPolicies(chain, SecPolicyCreateSSL(true, host as CFString))
            if let authorities {
                let anchors = authorities.compactMap { SecCertificateCreateWithData(nil, $0 as CFData) }
                SecTrustSetAnchorCertificates(chain, anchors as CFArray)
                SecTrustSetAnchorCertificatesOnly(chain, rules.authorities?.besidesSystem != true)
            }
            var problem: CFError?
            let isTrusted = SecTrustEvaluateWithError(chain, &problem)
            let certificates = SecTrustCopyCertificateChain(chain) as? [SecCertificate] ?? []
            let finding = isTrusted ? nil : SessionTrustCause(status: problem.map { CFErrorGetCode($0) } ?? 0).failure
            let bytes = certificates.map { SecCertificateCopyData($0) as Data }
            guard let failure = rules.failure(of: bytes, system: finding) else {
                return .credential(URLCredential(trust: chain))
            }
            return .refuse(failure, saying: problem.map { CFErrorCopyDescription($0) as String } ?? "")
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
                        ? "the passphrase of the PKCS #12 is wrong"
                        : "the PKCS #12 holds no certificate with its key that the system can read (\(status))")
            }
            // The first is that of the identity; a server that knows only the root needs those between.
            let chain = item[kSecImportItemCertChain as String] as? [SecCertificate] ?? []
            return URLCredential(
                identity: unsafeDowncast(found, to: SecIdentity.self), certificates: Array(chain.dropFirst()),
                persistence: .forSession)
        }
    }
#endif
