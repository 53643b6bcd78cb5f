/// The rules for requests to real servers: whether they are refused, and the hosts that are allowed.
struct RealServerRules: Sendable {
    enum Verdict: Equatable, Sendable {
        case allowed
        /// - Parameter mistakes: The problems of names that are not hosts, as one of them may be meant.
        case refused(mistakes: [String])
    }

    /// The hosts of one call that begins the refusal.
    struct Hosts: Equatable, Sendable {
        var patterns: [HostPattern] = []
        var mistakes: [String] = []

        init(_ names: [String]) {
            for name in names {
                switch HostPattern.parse(name) {
                case .success(let pattern): patterns.append(pattern)
                case .failure(let bad): mistakes.append(bad.text)
                }
            }
        }
    }

    /// The hosts of the calls without a function.
    private var lasting: [Hosts] = []
    private var scopes: [Int: Hosts] = [:]
    private var opened = 0

    var isActive: Bool { !lasting.isEmpty || !scopes.isEmpty }

    mutating func add(_ names: [String]) {
        let hosts = Hosts(names)
        if !lasting.contains(hosts) { lasting.append(hosts) }
    }

    mutating func open(_ names: [String]) -> Int {
        opened += 1
        scopes[opened] = Hosts(names)
        return opened
    }

    mutating func close(_ scope: Int) {
        scopes[scope] = nil
    }

    func verdict(on host: String) -> Verdict {
        // No host has an address below this name (RFC 6761), so tests may look one up.
        guard isActive, host != "invalid", !host.hasSuffix(".invalid") else { return .allowed }
        let all = lasting + scopes.sorted { $0.key < $1.key }.map(\.value)
        let name = HostName(host)
        if all.contains(where: { $0.patterns.contains { $0.matches(name) } }) { return .allowed }
        return .refused(mistakes: all.flatMap(\.mistakes))
    }
}
