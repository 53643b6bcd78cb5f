extension ClientStatistics {
    /// The statistics in the text format 0.0.4 of Prometheus, with the host as a label.
    ///
    /// Times are summaries with the quantiles 0.5, 0.9 and 0.99.
    public var prometheus: String {
        var text = ""
        let hosts = hosts.sorted { $0.key < $1.key }
        func counter(_ name: String, _ help: String, _ values: [(labels: String, value: (Host) -> Int)]) {
            text += "# HELP tango_\(name) \(help)\n# TYPE tango_\(name) counter\n"
            for (host, statistics) in hosts {
                for (labels, value) in values {
                    text += "tango_\(name){\(Self.label("host", host))\(labels)} \(value(statistics))\n"
                }
            }
        }
        counter(
            "calls_total", "Calls that have ended.",
            [
                (#",result="success""#, \.succeeded), (#",result="failure""#, \.failed),
                (#",result="cancelled""#, \.cancelled),
            ])
        counter(
            "cached_calls_total", "Calls with a response from the cache.",
            [(#",use="hit""#, \.cacheHits), (#",use="validated""#, \.cacheValidations)])
        counter("joined_calls_total", "Calls that shared the transfer of another call.", [("", \.joined)])
        counter("attempts_total", "Exchanges with servers.", [("", \.attempts)])
        counter("retries_total", "Exchanges that were retries.", [("", \.retries)])
        counter("failed_attempts_total", "Exchanges without a response.", [("", \.failedAttempts)])
        counter("sent_bytes_total", "Bytes of the bodies of requests.", [("", \.bytesSent)])
        counter("received_bytes_total", "Bytes of the bodies of responses, as they arrived.", [("", \.bytesReceived)])
        for (name, help, times) in [
            ("call_seconds", "The times of calls, from the start to the output.", \Host.callTimes),
            ("attempt_seconds", "The times of exchanges.", \Host.attemptTimes),
        ] {
            text += "# HELP tango_\(name) \(help)\n# TYPE tango_\(name) summary\n"
            for (host, statistics) in hosts {
                let histogram = statistics[keyPath: times]
                let label = Self.label("host", host)
                for quantile in [0.5, 0.9, 0.99] {
                    let value = histogram.percentile(quantile).map { "\($0 / .seconds(1))" } ?? "NaN"
                    text += "tango_\(name){\(label),quantile=\"\(quantile)\"} \(value)\n"
                }
                text += "tango_\(name)_sum{\(label)} \(histogram.sum / .seconds(1))\n"
                text += "tango_\(name)_count{\(label)} \(histogram.count)\n"
            }
        }
        return text
    }

    private static func label(_ name: String, _ value: String) -> String {
        let escaped = value.escaping(["\\": "\\\\", "\"": "\\\"", "\n": "\\n"])
        return "\(name)=\"\(escaped)\""
    }
}
