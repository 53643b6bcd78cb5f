/// The file that a response has in place of its body.
package struct FileBody: Equatable, Sendable {
    package let url: URL
    /// The number of bytes.
    package let count: Int
    /// The number of bytes that were on the disk before the call.
    package let resumedFrom: Int

    package init(url: URL, count: Int, resumedFrom: Int) {
        self.url = url
        self.count = count
        self.resumedFrom = resumedFrom
    }
}
