extension Serializer {
    // Without it, the error is about the constraints of an extension.
    @available(
        *, unavailable,
        message: "the output is not Decodable: conform it, or write `Serializer { response in … }`"
    )
    public static var json: Self { .default }
}
