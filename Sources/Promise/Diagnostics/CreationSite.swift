/// Where a promise was made, for reports; a link has the site of the promise that its chain began with. Debug builds
/// only: in release builds it is empty and costs nothing.
@usableFromInline
struct CreationSite: Sendable, CustomStringConvertible {
    #if DEBUG
        @usableFromInline let file: StaticString
        @usableFromInline let line: UInt
    #endif

    /// A place in the source, as default arguments give it.
    @inlinable
    init(file: StaticString, line: UInt) {
        #if DEBUG
            self.file = file
            self.line = line
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
