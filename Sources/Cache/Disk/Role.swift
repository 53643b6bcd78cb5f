/// The role of the code that opens a store. It determines the allowed changes.
enum Role: Sendable {
    /// The application with its version. Missing files are created, the content of another version is removed, and
    /// unusable files are set aside.
    case owner(version: Int64)

    /// A tool that inspects the store of an application, whatever its version. It creates nothing, and removes only on
    /// request. It sets damaged files aside only if it repairs.
    case guest(repairs: Bool)

    var isOwner: Bool {
        if case .owner = self { true } else { false }
    }

    var mayRepair: Bool {
        if case .guest(let repairs) = self { repairs } else { true }
    }

    /// The role for the successor of a database that was set aside. The successor is empty, so its version does not
    /// matter.
    var successor: Role {
        isOwner ? self : .owner(version: 0)
    }
}
