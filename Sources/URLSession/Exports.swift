@_exported import TangoTransport

// What the files of the transport use. On Linux, they are compiled for the tests of this package only.
#if canImport(Darwin) || URLSessionOnLinux
    @_exported import Foundation
    #if canImport(FoundationNetworking)
        @_exported import FoundationNetworking
    #endif
#endif
