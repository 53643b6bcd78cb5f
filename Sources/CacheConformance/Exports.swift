@_exported import TangoCache
