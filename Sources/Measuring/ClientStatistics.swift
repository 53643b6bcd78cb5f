/// The counts and times of a client's calls since its start, or since `Client.resetStatistics()`.
///
/// ```swift
/// let api = Client(baseURL: url) { $0.collectsStatistics = true }
/// ```
///
/// A host has the same memory after a billion calls as after some thousands: see ``DurationHistogram``. After 256 hosts,
/// further ones are counted together, under ``otherHosts``.
public struct ClientStatistics: Sendable, Hashable {
    /// The counts and times of one host.
    public struct Host: Sendable, Hashable {
        /// Calls that succeeded.
        public internal(set) var succeeded = 0
        /// Calls that failed.
        public internal(set) var failed = 0
        /// Calls that were cancelled.
        public internal(set) var cancelled = 0
        /// Calls with a response from the cache, without contact to the server.
        public internal(set) var cacheHits = 0
        /// Calls whose cached response was confirmed by the server.
        public internal(set) var cacheValidations = 0
        /// Calls that shared the transfer of another call.
        public internal(set) var joined = 0
        /// Exchanges with the host: a call may have none or several.
        public internal(set) var attempts = 0
        /// Exchanges that were retries.
        public internal(set) var retries = 0
        /// Exchanges that failed without a response.
        public internal(set) var failedAttempts = 0
        /// Bytes of the bodies of requests.
        public internal(set) var bytesSent = 0
        /// Bytes of the bodies of responses, before they were decoded.
        public internal(set) var bytesReceived = 0
        /// The times of calls, from the start to the output, with queues, retries and decoding.
        public internal(set) var callTimes = DurationHistogram()
        /// The times of exchanges, from sending to the end of the response. A streamed response ends with its head here.
        public internal(set) var attemptTimes = DurationHistogram()

        /// Calls that have ended.
        public var calls: Int { succeeded + failed + cancelled }
    }

    /// The name under which hosts are counted after the first 256.
    public static let otherHosts = "other"
    static let hostLimit = 256

    /// The counts and times by host. A port other than that of the scheme is a part of the name.
    public internal(set) var hosts: [String: Host] = [:]

    /// The sum of all hosts.
    public var total: Host {
        hosts.values.reduce(into: Host()) { $0.add($1) }
    }

    mutating func update(_ host: String, _ change: (inout Host) -> Void) {
        let isKnown = hosts[host] != nil || hosts.count < Self.hostLimit
        change(&hosts[isKnown ? host : Self.otherHosts, default: Host()])
    }
}

extension ClientStatistics.Host {
    mutating func add(_ other: ClientStatistics.Host) {
        succeeded += other.succeeded
        failed += other.failed
        cancelled += other.cancelled
        cacheHits += other.cacheHits
        cacheValidations += other.cacheValidations
        joined += other.joined
        attempts += other.attempts
        retries += other.retries
        failedAttempts += other.failedAttempts
        bytesSent += other.bytesSent
        bytesReceived += other.bytesReceived
        callTimes.add(other.callTimes)
        attemptTimes.add(other.attemptTimes)
    }
}

extension ClientStatistics: CustomStringConvertible {
    /// A line for each host.
    public var description: String {
        guard !hosts.isEmpty else { return "no calls" }
        return hosts.sorted { $0.key < $1.key }.map { name, host in
            let times = [0.5, 0.9, 0.99].map { (host.callTimes.percentile($0) ?? .zero).text }
            return "\(name): \(host.calls) calls, \(host.failed) failed, \(host.cacheHits) from the cache, "
                + "\(host.attempts) attempts, \(host.retries) retries; median \(times[0]), p90 \(times[1]), p99 \(times[2])"
        }.joined(separator: "\n")
    }
}

extension ClientStatistics.Host: CustomStringConvertible {
    /// The counts and the times of calls.
    public var description: String {
        "\(calls) calls, \(failed) failed, \(cacheHits) from the cache, \(attempts) attempts, \(retries) retries; \(callTimes)"
    }
}
