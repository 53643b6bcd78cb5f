extension Timeouts: CustomStringConvertible {
    /// The limits that are set, such as `connect 15 s, idle 60 s`.
    public var description: String {
        let limits = [("connect", connect), ("idle", idle), ("attempt", attempt), ("total", total)]
        let texts = limits.compactMap { name, limit in limit.map { "\(name) \($0.text)" } }
        return texts.isEmpty ? "no limits" : texts.joined(separator: ", ")
    }
}

extension CallProgress: CustomStringConvertible {
    /// Such as `sent 0 of 0 bytes, received 512 of 2048 bytes`.
    public var description: String {
        func text(_ count: Int, _ total: Int?) -> String { "\(count)\(total.map { " of \($0)" } ?? "") bytes" }
        return "sent \(text(sent, sentTotal)), received \(text(received, receivedTotal))"
    }
}

extension MockTransport: CustomStringConvertible {
    /// The number of requests so far.
    public var description: String { "MockTransport, \(requests.count) requests" }
}

extension HARReplay: CustomStringConvertible {
    /// The rules of the replay, and the number of exchanges that no request has got.
    public var description: String {
        "HARReplay, \(matching), \(unused.count) of \(recording.exchanges.count) exchanges unused"
    }
}

extension Recording: CustomStringConvertible {
    /// The number of exchanges.
    public var description: String { "Recording, \(exchanges.count) exchanges" }
}
