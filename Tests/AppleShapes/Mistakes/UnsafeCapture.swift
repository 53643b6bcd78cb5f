#if canImport(Security)
    import Security

    func evaluate(_ trust: SecTrust) {
        Task { SecTrustSetAnchorCertificatesOnly(trust, true) }  // error: passing closure as a 'sending' parameter
        _ = SecTrustEvaluateWithError(trust, nil)
    }
#endif
