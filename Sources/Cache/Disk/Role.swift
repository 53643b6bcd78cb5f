/// Who opens a store, and what may be changed for it.
enum Role: Sendable {
    /// The application, which has the version: what is missing is made, what another version has filled is emptied, and
    /// what cannot be used is set aside.
    case owner(version: Int64)

    /// Somebody who looks at the store of an application, whatever its version: nothing is made, and nothing is removed
    /// without being asked for. Only one who repairs sets aside what is damaged.
    case guest(repairs: Bool)

    var isOwner: Bool {
        if case .owner = self { true } else { false }
    }

    var mayRepair: Bool {
        if case .guest(let repairs) = self { repairs } else { true }
    }

    /// Who opens what takes the place of a database that was set aside. It is empty, so its version matters to nobody.
    var successor: Role {
        isOwner ? self : .owner(version: 0)
    }
}
