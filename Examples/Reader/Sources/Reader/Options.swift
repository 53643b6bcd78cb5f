import Foundation

enum Command: Equatable {
    case list
    case show(Int)
    case search(String)
    case loans
    case download(Int)
    case signIn(String)
    case signOut
    case help
}

/// The arguments of the command line.
struct Options {
    var command = Command.help
    var server: URL
    var data: URL
    var folder = URL(filePath: ".", directoryHint: .isDirectory)
    var limit: Int?
    var isOffline = false
    var explains = false
    var drawsWaterfall = false

    struct Mistake: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    static let usage = """
        usage: reader COMMAND [OPTIONS]

          list                 all books
          show ID              a book and its reviews
          search WORDS         the books whose title or author has these words
          loans                the books that you have borrowed
          download ID          writes the text of a book to a file
          sign-in NAME         reads the password from the terminal or from standard input
          sign-out

          --server URL         the library, by default $READER_SERVER
          --data FOLDER        the folder for cached responses and your token, by default ~/.reader
          --to FOLDER          the folder for downloads, by default this one
          --limit NUMBER       lists only so many books
          --offline            sends nothing: shows what is on this disk
          --explain            says for each request where its response comes from, and why
          --waterfall          draws the requests over time
        """

    init(_ arguments: [String], environment: [String: String]) throws {
        server = try Self.url(environment["READER_SERVER"] ?? "http://127.0.0.1:8080")
        data = URL(filePath: environment["HOME"] ?? ".", directoryHint: .isDirectory).appending(path: ".reader")
        var words: [String] = []
        var rest = arguments[...]
        func value(of option: String) throws -> String {
            guard let value = rest.popFirst() else { throw Mistake("\(option) needs a value") }
            return value
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--server": server = try Self.url(value(of: argument))
            case "--data": data = URL(filePath: try value(of: argument), directoryHint: .isDirectory)
            case "--to": folder = URL(filePath: try value(of: argument), directoryHint: .isDirectory)
            case "--limit": limit = try Self.number(value(of: argument))
            case "--offline": isOffline = true
            case "--explain": explains = true
            case "--waterfall": drawsWaterfall = true
            case "--help", "-h": words = ["help"]
            case _ where argument.hasPrefix("-"): throw Mistake("there is no option \(argument)")
            default: words.append(argument)
            }
        }
        command = try Self.command(words)
    }

    private static func command(_ words: [String]) throws -> Command {
        switch (words.first, words.dropFirst().first, words.count) {
        case (nil, _, _), ("help", _, _): .help
        case ("list", _, 1): .list
        case ("loans", _, 1): .loans
        case ("sign-out", _, 1): .signOut
        case ("show", let id?, 2): .show(try number(id))
        case ("download", let id?, 2): .download(try number(id))
        case ("sign-in", let user?, 2): .signIn(user)
        case ("search", _?, _): .search(words.dropFirst().joined(separator: " "))
        default: throw Mistake("there is no command \"\(words.joined(separator: " "))\"")
        }
    }

    private static func number(_ text: String) throws -> Int {
        guard let number = Int(text), number > 0 else { throw Mistake("\(text) is not a positive number") }
        return number
    }

    private static func url(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.host() != nil else { throw Mistake("\(text) is not a URL") }
        return url
    }
}
