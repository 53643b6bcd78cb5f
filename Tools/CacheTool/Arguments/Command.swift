import TangoCache

/// A command with its arguments.
enum Command {
    case stats(folder: String, json: Bool)
    case list(folder: String, Listing, json: Bool)
    case show(folder: String, CacheKey, Showing, json: Bool)
    case verify(folder: String, repair: Bool, json: Bool)
    case purge(folder: String, Purge, json: Bool)
    case help(Verb?)
    case version
}

/// The entries to list, and their order.
struct Listing {
    var filter = Filter()
    var order: Order?
    var isReversed = false
    var limit: Int?
}

/// The parts of an entry to show.
struct Showing: Equatable {
    var body = false
    var output: String?
}

/// The entries to remove.
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
