extension Body {
    // Without it, the error is about JSONLiteral.
    @available(
        *, unavailable,
        message: "a dictionary of `Any` is not Encodable: write `.json([…])` with a literal, or encode a struct"
    )
    public static func json(_ dictionary: [String: Any]) -> Body {
        .none
    }
}
