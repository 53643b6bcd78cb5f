/// A server with a key that ``ServerTrust/pins(_:backups:reportOnly:)`` does not name. Its requests have gone on.
public struct PinReport: Hashable, Sendable, CustomStringConvertible {
    /// The host of the URL.
    public let host: String
    /// The pin of the server's key; nil if the transport could not read its certificate.
    public let presented: PublicKeyPin?
    /// The pins that the rule names.
    public let expected: Set<PublicKeyPin>

    /// A sentence for a log, with the pin in the form in which a rule names it.
    public var description: String {
        let key = presented.map { "the key of \(host) is \($0), which is" } ?? "the key of \(host) is unknown, and"
        return "\(key) not pinned: if the server has a new key, add its pin"
    }
}

/// Pins whose violation is reported. Two reporters are equal only if they are the same object, because closures cannot be
/// compared.
package final class PinReporter: Hashable, Sendable {
    let pins: Set<PublicKeyPin>
    private let report: @Sendable (PinReport) -> Void

    init(_ pins: Set<PublicKeyPin>, _ report: @escaping @Sendable (PinReport) -> Void) {
        self.pins = pins
        self.report = report
    }

    func check(_ presented: PublicKeyPin?, host: String) {
        if let presented, pins.contains(presented) { return }
        report(PinReport(host: host, presented: presented, expected: pins))
    }

    package static func == (one: PinReporter, other: PinReporter) -> Bool { one === other }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
