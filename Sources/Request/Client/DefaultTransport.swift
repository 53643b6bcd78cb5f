/// The transport of clients that are not given one.
enum DefaultTransport {
    #if os(Linux)
        static let shared: any Transport = choice(problem: CurlLibrary.problem) { RequestDiagnostics.report($0) }

        /// libcurl where it can be used, else `URLSession`, which is told: it is slower, cannot do as much, and can be brought
        /// to end the process.
        static func choice(problem: String?, report: (String) -> Void) -> any Transport {
            guard let problem else { return CurlTransport.shared }
            report(
                "requests are sent by URLSession, which is slower, has limits, and can be brought by a server to end the "
                    + "process, as libcurl cannot be used: \(problem). Install libcurl.so.4, or give clients "
                    + "URLSessionTransport.shared as their transport to say that it is meant."
            )
            return URLSessionTransport.shared
        }
    #else
        static var shared: any Transport { URLSessionTransport.shared }
    #endif
}
