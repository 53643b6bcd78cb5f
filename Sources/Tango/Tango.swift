@_exported import TangoCache
@_exported import TangoPromise
