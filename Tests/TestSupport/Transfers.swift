@testable import TangoCurl
@testable import TangoRequest
@testable import TangoURLSession

#if os(Linux)
    extension CurlTransfer {
        /// A transfer to the server that the request names.
        convenience init(
            _ request: HTTPRequest, options: TransportOptions, on loop: CurlLoop,
            completion: @escaping TransportCompletion
        ) throws {
            let server = try ServerAddress(of: request)
            try self.init(request, to: server, options: options, on: loop, completion: completion)
        }
    }
#endif

#if canImport(Darwin) || URLSessionOnLinux
    extension SessionTransfer {
        /// A transfer to the server that the request names.
        convenience init(
            _ request: HTTPRequest, options: TransportOptions, in core: SessionCore,
            completion: @escaping TransportCompletion
        ) throws {
            let server = try ServerAddress(of: request)
            try self.init(request, to: server, options: options, in: core, completion: completion)
        }
    }
#endif
