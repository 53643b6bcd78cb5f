/// An output of a response, without its type.
class AnyOutput: @unchecked Sendable {
    // Unchecked: its only subclass is constant.

    fileprivate init() {}

    /// The value. The caller knows its type: see ``AnyOutputDecoder/decodes(_:)``.
    final func value<Output: Sendable>(as type: Output.Type) -> Output {
        unsafeDowncast(self, to: TypedOutput<Output>.self).value
    }
}

/// An output with its type.
final class TypedOutput<Output: Sendable>: AnyOutput, @unchecked Sendable {
    let value: Output

    init(_ value: Output) {
        self.value = value
    }
}
