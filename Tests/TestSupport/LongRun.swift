import Foundation

/// A Boolean value that indicates whether tests of random or repeated work may take hours. Set `TANGO_LONG=1` for that.
let isLongRun = ProcessInfo.processInfo.environment["TANGO_LONG"] == "1"
