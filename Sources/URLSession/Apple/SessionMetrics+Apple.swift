#if canImport(Darwin)
    extension AttemptMetrics {
        /// Creates the metrics of one exchange from the measurements of the system. Times count from the start of the
        /// exchange.
        init(_ measured: URLSessionTaskTransactionMetrics) {
            self.init()
            guard let start = measured.fetchStartDate else { return }
            func since(_ date: Date?) -> Duration? {
                date.map { .microseconds(Int64(max($0.timeIntervalSince(start), 0) * 1_000_000)) }
            }
            let isReused = measured.isReusedConnection
            resolved = isReused ? nil : since(measured.domainLookupEndDate)
            connected = isReused ? nil : since(measured.secureConnectionStartDate ?? measured.connectEndDate)
            secured = isReused ? nil : since(measured.secureConnectionEndDate)
            requestStarted = since(measured.requestStartDate)
            firstByte = since(measured.responseStartDate)
            finished = since(measured.responseEndDate)
            reusedConnection = isReused
            bodyBytesSent = Int(measured.countOfRequestBodyBytesSent)
            bodyBytesReceived = Int(measured.countOfResponseBodyBytesReceived)
            remoteAddress = measured.remoteAddress.map { Self.text(address: $0, port: measured.remotePort) }
        }
    }
#endif
