/// The decision which rule of trust a server has broken, from the system's errors: a pure function.
struct SessionTrustCause {
    /// The status of Security for an evaluation.
    var status = 0
    /// The code of `URLSession`'s error.
    var number = 0
    /// The message of the error. On Linux, it comes from libcurl and OpenSSL.
    var message = ""

    /// The failure of an evaluation. If the system rejects a chain for another reason, its authority counts as unknown.
    var failure: TrustFailure {
        switch status {
        case -67818: .expired
        case -67819: .notYetValid
        case -67820, -67821: .revoked
        case -67602: .wrongHost
        // The purpose, the lifetime, the key or the signature.
        case -67609, -67901, -67688, -67663: .badCertificate
        default: .unknownAuthority
        }
    }

    /// The trust failure of a task, or nil if the task failed for another reason.
    var failureOfTask: TrustFailure? {
        switch number {
        case -1201: says("not yet") ? .notYetValid : .expired
        case -1204: .notYetValid
        case -1202, -1203: byMessage ?? .unknownAuthority
        case -1205: .clientCertificateRefused
        case -1206: .clientCertificateWanted
        case -1200: byMessage ?? .handshake
        case -1: byMessage
        default: nil
        }
    }

    private var byMessage: TrustFailure? {
        if says("certificate required") { return .clientCertificateWanted }
        if says("certificate", "ssl"), !says("alert"), let failure = TrustFailure.ofCertificate(message) {
            return failure
        }
        if let failure = TrustFailure.ofHandshake(message) { return failure }
        if says("ssl certificate problem") { return .badCertificate }
        if says("ssl connect error", "ssl routines", "alert") { return .handshake }
        return nil
    }

    private func says(_ words: String...) -> Bool { message.mentions(words) }
}

extension String {
    /// Returns whether a message of the system has one of some words, in any case.
    func mentions(_ words: [String]) -> Bool {
        let message = lowercased()
        return words.contains { message.contains($0) }
    }
}
