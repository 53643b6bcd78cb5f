import Foundation
import LoopbackServer
import Synchronization

@testable import TangoAuth
@testable import TangoRequest
@testable import TestSupport

/// A server's side of `Digest`, with formulas of its own. It records the counters of each nonce.
final class DigestGuard: Sendable {
    struct Rules: Sendable {
        var user = "ada"
        var password = "secret"
        var hash = Hash.sha256
        var isSession = false
        var qop: String? = "auth"
        var hashesUser = false
        var domain: String?
        /// The number of requests after which a nonce is stale.
        var uses = Int.max
        /// A Boolean value that indicates whether each response has the nonce for the next request.
        var sendsNextNonce = false
        /// Challenges before that of `Digest`.
        var others: [String] = []
    }

    private struct State {
        var rules: Rules
        var nonces = 0
        var counts: [String: [UInt32]] = [:]
        var rejections = 0
    }

    private let state: Mutex<State>

    init(_ rules: Rules = Rules()) {
        state = Mutex(State(rules: rules))
    }

    var counts: [String: [UInt32]] { state.withLock { $0.counts } }
    var rejections: Int { state.withLock { $0.rejections } }

    func respond(to request: RecordedRequest) throws -> Response {
        try state.withLock { state in
            let rules = state.rules
            let sent = request.headers["authorization"].flatMap { Challenge.all(in: [$0]).first }
            guard let sent, sent.isOf("Digest"), let nonce = sent["nonce"] else { return reject(&state) }
            let name = rules.hash.rawValue + (rules.isSession ? "-sess" : "")
            let counter = sent["nc"] ?? ""
            let clientNonce = sent["cnonce"] ?? ""
            let user = rules.hashesUser ? try rules.hash.hex("\(rules.user):place".utf8) : rules.user
            var secret = try rules.hash.hex("\(rules.user):place:\(rules.password)".utf8)
            if rules.isSession { secret = try rules.hash.hex("\(secret):\(nonce):\(clientNonce)".utf8) }
            var message = "\(request.method):\(request.target)"
            if sent["qop"] == "auth-int" { message += ":\(try rules.hash.hex(request.body))" }
            message = try rules.hash.hex(message.utf8)
            let middle = rules.qop == nil ? "" : "\(counter):\(clientNonce):\(sent["qop"] ?? ""):"
            let expected = try rules.hash.hex("\(secret):\(nonce):\(middle)\(message)".utf8)
            guard sent["response"] == expected, sent["username"] == user, sent["algorithm"] == name,
                sent["opaque"] == "o\"p", sent.realm == "place", sent["uri"] == request.target
            else { return reject(&state) }
            if rules.qop != nil {
                guard let number = UInt32(counter, radix: 16), counter.count == 8 else { return reject(&state) }
                // A server accepts each counter of a nonce once.
                guard state.counts[nonce]?.contains(number) != true else { return reject(&state) }
                state.counts[nonce, default: []].append(number)
                if state.counts[nonce]?.count ?? 0 > rules.uses { return reject(&state, isStale: true) }
            }
            let response = Response.text(sent["qop"] ?? "old")
            guard rules.sendsNextNonce else { return response }
            state.nonces += 1
            return response.header("Authentication-Info", "nextnonce=\"nonce \(state.nonces)\", qop=auth")
        }
    }

    private func reject(_ state: inout State, isStale: Bool = false) -> Response {
        state.nonces += 1
        state.rejections += 1
        let rules = state.rules
        var parts = [
            "realm=\"place\"", "nonce=\"nonce \(state.nonces)\"", "opaque=\"o\\\"p\"",
            "algorithm=\(rules.hash.rawValue)\(rules.isSession ? "-sess" : "")",
        ]
        if let qop = rules.qop { parts.append("qop=\"\(qop)\"") }
        if rules.hashesUser { parts.append("userhash=true") }
        if let domain = rules.domain { parts.append("domain=\"\(domain)\"") }
        if isStale { parts.append("stale=true") }
        var response = Response.text("who are you", status: 401)
        for other in rules.others { response = response.header("WWW-Authenticate", other) }
        return response.header("WWW-Authenticate", "Digest " + parts.joined(separator: ", "))
    }
}
