extension AttemptPhases: CustomStringConvertible {
    /// The phases that are known, such as `connect 1 ms, wait 12.5 ms, receive 0.2 ms`.
    public var description: String {
        let phases = [
            ("queue", queue), ("resolve", resolve), ("connect", connect), ("secure", secure), ("prepare", prepare),
            ("wait", wait), ("receive", receive),
        ]
        let texts = phases.compactMap { name, time in time.map { "\(name) \($0.text)" } }
        return texts.isEmpty ? "no phases" : texts.joined(separator: ", ")
    }
}

extension AttemptMetrics: CustomStringConvertible {
    /// The phases, the sizes of the bodies, and the use of the connection.
    public var description: String {
        var text = "\(phases); \(bodyBytesSent) bytes sent, \(bodyBytesReceived) bytes received"
        if let reusedConnection { text += reusedConnection ? ", on an open connection" : ", on a new connection" }
        return text
    }
}
