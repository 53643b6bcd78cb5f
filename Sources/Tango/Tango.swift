@_exported import TangoCache
@_exported import TangoPromise
@_exported import TangoRequest
