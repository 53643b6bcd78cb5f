extension CacheEntry {
    /// Throws ``CacheError/Code/invalid`` if a date of the entry is not a number.
    ///
    /// Every store refuses such an entry: a store of your own calls this first when it stores an entry. A date is not a
    /// number when it was calculated from one that is not, such as a quotient of zeros.
    public func validate(for key: CacheKey) throws(CacheError) {
        let isNumber = written?.timeIntervalSinceReferenceDate.isNaN != true
        if !isNumber || expires?.timeIntervalSinceReferenceDate.isNaN == true {
            throw CacheError(
                .invalid, "A date of the entry \(key) is not a number: give `written` and `expires` a date, or nil.")
        }
    }
}
