@_exported import TangoPlatform

// What every file of the module uses, and its users too: `Data` and `URL` are in its interface.
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
