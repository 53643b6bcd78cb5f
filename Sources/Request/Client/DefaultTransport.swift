/// The transport of clients that are not given one.
enum DefaultTransport {
    #if os(Linux)
        static var shared: any Transport { CurlTransport.shared }
    #else
        static var shared: any Transport { URLSessionTransport.shared }
    #endif
}
