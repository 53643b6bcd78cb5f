extension Error {
    /// This error as a ``RequestError``, or nil if it is an error of another type.
    ///
    /// ```swift
    /// show(error.asRequestError?.message ?? "\(error)")
    /// ```
    public var asRequestError: RequestError? { self as? RequestError }
}
