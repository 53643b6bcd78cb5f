/// The transport of clients whose configuration names none.
enum DefaultTransport {
    #if os(Linux)
        static var shared: any Transport { CurlTransport.shared }
    #else
        static var shared: any Transport { URLSessionTransport.shared }
    #endif
}
