/// An output of a response, without its type.
class AnyOutput: @unchecked Sendable {
    // Unchecked: its only subclass is constant.

    fileprivate init() {}

    /// The value. The caller knows its type: see ``Recipe/makes(_:)``.
    final func value<Output: Sendable>(as type: Output.Type) -> Output {
        unsafeDowncast(self, to: OutputBox<Output>.self).value
    }
}

/// An output with its type.
final class OutputBox<Output: Sendable>: AnyOutput, @unchecked Sendable {
    let value: Output

    init(_ value: Output) {
        self.value = value
    }
}
