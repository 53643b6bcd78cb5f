#if canImport(Darwin)
    import Foundation

    final class Delegate: NSObject, URLSessionTaskDelegate {
        var count = 0  // error: stored property 'count' of 'Sendable'-conforming class 'Delegate' is mutable
    }
#endif
