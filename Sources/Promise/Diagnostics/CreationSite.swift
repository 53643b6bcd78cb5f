/// The place in the source code where a promise was created, for reports. A link has the site of the first promise of
/// its chain. In release builds the site is empty and costs nothing.
@usableFromInline
struct CreationSite: Sendable, CustomStringConvertible {
    #if DEBUG
        @usableFromInline let file: StaticString
        @usableFromInline let line: UInt
        /// The work that the promise stands for, if that says more than the place.
        @usableFromInline let origin: String?
    #endif

    /// Creates a site from the values of default arguments.
    @inlinable
    init(file: StaticString, line: UInt) {
        #if DEBUG
            self.file = file
            self.line = line
            origin = nil
        #endif
    }

    /// Creates a site for the work that a promise stands for, such as a request.
    init(origin: @autoclosure () -> String, file: StaticString = #fileID, line: UInt = #line) {
        #if DEBUG
            self.file = file
            self.line = line
            self.origin = origin()
        #endif
    }

    @usableFromInline var description: String {
        #if DEBUG
            "\(file):\(line)"
        #else
            ""
        #endif
    }
}
