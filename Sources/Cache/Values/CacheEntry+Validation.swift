extension CacheEntry {
    /// Throws ``CacheError/Code/invalid`` if a date of the entry is not a number.
    ///
    /// Every store rejects such an entry. A store of your own calls this method before it stores an entry. A date is
    /// not a number if it was calculated from one, such as a quotient of zeros.
    public func validate(for key: CacheKey) throws(CacheError) {
        let isNumber = written?.timeIntervalSinceReferenceDate.isNaN != true
        if !isNumber || expires?.timeIntervalSinceReferenceDate.isNaN == true {
            throw CacheError(
                .invalid, "A date of the entry \(key) is not a number. Set `written` and `expires` to dates or nil.")
        }
    }
}
