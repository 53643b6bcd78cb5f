#if canImport(Darwin) || URLSessionOnLinux
    extension URLRequest {
        /// Sets the kinds of networks that the request may use. On Linux, `URLSession` uses every network.
        package mutating func allow(_ networks: NetworkKinds) {
            #if canImport(Darwin)
                allowsCellularAccess = networks.contains(.cellular)
                allowsExpensiveNetworkAccess = networks.contains(.expensive)
                allowsConstrainedNetworkAccess = networks.contains(.constrained)
            #endif
        }
    }
#endif
