#if canImport(Darwin)
    import Foundation

    final class Delegate: NSObject, URLSessionTaskDelegate {
        func urlSession(  // error: parameter of 'urlSession(_:task:didCompleteWithError:)' has different optionality
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: any Error
        ) {}
    }
#endif
