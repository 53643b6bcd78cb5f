@_exported import TangoTransport
