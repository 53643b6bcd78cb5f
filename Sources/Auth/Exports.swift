@_exported import TangoRequest
