@_exported import TangoCache
@_exported import TangoPromise
@_exported import TangoTransport

#if os(Linux)
    @_exported import TangoCurl
#else
    @_exported import TangoURLSession
#endif
