#if canImport(Darwin)
    import Foundation

    final class Delegate: NSObject, URLSessionTaskDelegate {
        func urlSession(  // error: no protocol in Tests/AppleShapes has the method urlSession(_:task:didFail:)
            _ session: URLSession, task: URLSessionTask, didFail error: (any Error)?
        ) {}
    }
#endif
