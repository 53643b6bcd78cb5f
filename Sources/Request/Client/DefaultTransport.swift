/// The transport of clients that are not given one.
enum DefaultTransport {
    #if os(Linux)
        static let shared: any Transport = choice(problem: CurlLibrary.problem) { RequestDiagnostics.report($0) }

        /// libcurl where it can be used, else `URLSession`, which is told: it is slower, and cannot do as much.
        static func choice(problem: String?, report: (String) -> Void) -> any Transport {
            guard let problem else { return CurlTransport.shared }
            report(
                "requests are sent by URLSession, which is slower and has limits, as libcurl cannot be used: \(problem)"
            )
            return URLSessionTransport.shared
        }
    #else
        static var shared: any Transport { URLSessionTransport.shared }
    #endif
}
