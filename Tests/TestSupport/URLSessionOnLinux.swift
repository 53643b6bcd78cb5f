#if os(Linux)
    import Foundation
    import Testing

    /// The trait of the package that adds `URLSessionTransport` on Linux.
    enum URLSessionOnLinux {
        #if URLSessionOnLinux
            static let isEnabled = true
        #else
            static let isEnabled = false
        #endif

        /// True if the tests of `URLSessionTransport` must run: a build without the trait then fails.
        static let isRequired = ProcessInfo.processInfo.environment["TANGO_URLSESSION"] == "1"

        static let comment: Comment =
            "URLSessionTransport is tested on Linux with: swift test --traits URLSessionOnLinux"
    }
#endif
