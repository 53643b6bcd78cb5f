@_exported import TangoHTTP
