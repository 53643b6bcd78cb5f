import TangoCache

/// What the tool is asked to do.
enum Command {
    case stats(folder: String, json: Bool)
    case list(folder: String, Listing, json: Bool)
    case show(folder: String, CacheKey, Showing, json: Bool)
    case verify(folder: String, repair: Bool, json: Bool)
    case purge(folder: String, Purge, json: Bool)
    case help(Verb?)
    case version
}

/// Which entries to list, and how.
struct Listing {
    var filter = Filter()
    var order: Order?
    var isReversed = false
    var limit: Int?
}

/// What to show of an entry.
struct Showing: Equatable {
    var body = false
    var output: String?
}

/// What to remove.
struct Purge {
    enum Choice {
        case all
        case expired
        case prefix(CacheKey)
        case tag(String)
        case olderThan(Double)
        case keys([CacheKey])
    }

    var choice: Choice
    var isDryRun: Bool
}
