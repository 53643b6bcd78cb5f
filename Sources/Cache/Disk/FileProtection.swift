/// When the files of a store can be read and written, on Apple platforms. Elsewhere nothing is protected in this way.
public enum FileProtection: Sendable {
    /// Always.
    case none

    /// Once the user has unlocked the device since it was started, as is needed in the background.
    case untilFirstUnlock

    /// While the device is unlocked; open files stay usable when it is locked.
    case unlessOpen

    /// While the device is unlocked. A store in use when the device is locked reports errors.
    case complete
}
