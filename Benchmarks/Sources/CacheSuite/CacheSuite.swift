import Harness

/// Everything about stores, beside plain files and a plain dictionary.
public func cacheSuite(_ size: Size) -> [Group] {
    [memoryRows(size)]
        + BodySize.all.flatMap { body in [reading(body, size), writing(body, size)] }
        + [wholeStores(size), invalidating(size), underLoad(size), streaming(size), tiers(size)]
}
