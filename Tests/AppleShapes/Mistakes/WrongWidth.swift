#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

func permissions(_ status: stat) -> UInt32 {
    status.st_mode  // error: cannot convert return expression of type 'mode_t' (aka 'UInt16') to return type 'UInt32'
}
