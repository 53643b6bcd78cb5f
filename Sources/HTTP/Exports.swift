@_exported import TangoPromise
