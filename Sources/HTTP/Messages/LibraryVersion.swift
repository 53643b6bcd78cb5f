/// The version of Tango, as requests and recordings name it.
package enum LibraryVersion {
    package static let text = "0.1.0"
}
