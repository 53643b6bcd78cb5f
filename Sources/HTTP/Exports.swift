@_exported import TangoFiles
@_exported import TangoPromise

// What every file of the module and of those above it uses, and their users too: `Data`, `Date` and `URL` are in the interfaces.
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
