#if canImport(Security)
    import Foundation
    import Security

    func chain(_ space: URLProtectionSpace) -> CFArray? {
        SecTrustCopyCertificateChain(space.serverTrust)  // error: value of optional type 'SecTrust?' must be unwrapped
    }
#endif
