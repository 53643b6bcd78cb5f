#if canImport(Darwin)
    import Foundation

    func configure(_ configuration: URLSessionConfiguration) {
        configuration.httpMaximumConnectionPerHost = 1  // error: value of type 'URLSessionConfiguration' has no member
    }
#endif
