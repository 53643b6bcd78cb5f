#if os(Linux)
    import TangoCPSL
#endif

/// The list of the system, which libpsl reads.
enum SystemSuffixes {
    #if os(Linux)
        /// The reason why there is no list; nil if there is one. The library is opened once.
        static let problem: String? = tango_psl_load().map { String(cString: $0) }

        /// Returns whether the list has a domain; nil without a list.
        static func contains(_ domain: String) -> Bool? {
            problem == nil ? tango_psl_is_public_suffix(domain) != 0 : nil
        }
    #else
        static let problem: String? = "the system has no library for it, so create the jar with PublicSuffixes.list(_:)"

        static func contains(_ domain: String) -> Bool? { nil }
    #endif
}
