/// Where a promise was made, for reports; a link has the site of the promise that its chain began with. Debug builds
/// only: in release builds it is empty and costs nothing.
@usableFromInline
struct CreationSite: Sendable, CustomStringConvertible {
    #if DEBUG
        @usableFromInline let file: StaticString
        @usableFromInline let line: UInt
        /// The work that the promise stands for, where that says more than the place.
        @usableFromInline let origin: String?
    #endif

    /// A place in the source, as default arguments give it.
    @inlinable
    init(file: StaticString, line: UInt) {
        #if DEBUG
            self.file = file
            self.line = line
            origin = nil
        #endif
    }

    /// The work that a promise stands for, such as a request.
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
