#if canImport(Darwin)
    import Foundation

    final class Delegate: NSObject, URLSessionTaskDelegate {}

    extension Delegate {
        @objc(URLSession:task:didCollectMetrics:)
        func urlSession(  // error: Objective-C method 'URLSession:task:didCollectMetrics:' provided by method
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {}
    }
#endif
