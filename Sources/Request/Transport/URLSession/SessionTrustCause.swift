/// Which rule a server has failed: a pure function of what the system says.
struct SessionTrustCause {
    /// The number of Security's that an evaluation has ended with.
    var status = 0
    /// The number of `URLSession`'s error.
    var number = 0
    /// What is said of it, which on Linux is in the words of libcurl and OpenSSL.
    var message = ""

    /// What an evaluation has found; a chain that the system does not like for another reason leads to nobody it trusts.
    var failure: TrustFailure {
        switch status {
        case -67818: .expired
        case -67819: .notYetValid
        case -67820, -67821: .revoked
        case -67602: .wrongHost
        // Its purpose, its length of life, its key, its signature.
        case -67609, -67901, -67688, -67663: .badCertificate
        default: .unknownAuthority
        }
    }

    /// What a task has failed with; nil where that was not a matter of trust.
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

    private func says(_ words: String...) -> Bool {
        let message = message.lowercased()
        return words.contains { message.contains($0) }
    }
}
