@_exported import Foundation
@_exported import TangoRequest

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
