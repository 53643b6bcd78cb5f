#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a ``Query`` is written, for everything in which servers differ.
///
/// ```swift
/// var style = QueryStyle()
/// style.arrays = .brackets
/// style.booleans = .digits
/// #expect(try Query(["tags": ["a", "b"]]).encoded(style) == "tags%5B%5D=a&tags%5B%5D=b")
/// ```
///
/// Brackets are written `%5B` and `%5D`, because RFC 3986 allows them nowhere in a query; servers decode them.
public struct QueryStyle: Sendable {
    /// How the elements of a list are named.
    public enum Arrays: Sendable {
        /// `a=1&a=2`
        case repeated
        /// `a[]=1&a[]=2`
        case brackets
        /// `a[0]=1&a[1]=2`
        case indexed
        /// `a=1,2`. A comma in an element is encoded. Lists inside are joined too; names inside are an error.
        case commas
    }

    /// How names inside others are written.
    public enum Nesting: Sendable {
        /// `a[b]=1`
        case brackets
        /// `a.b=1`
        case dots
    }

    /// How true and false are written.
    public enum Booleans: Sendable {
        /// `true` and `false`
        case words
        /// `1` and `0`
        case digits
        /// `yes` and `no`
        case yesNo
    }

    /// How moments are written.
    public enum Dates: Sendable {
        /// `2025-01-31T12:00:00Z`, in UTC, with milliseconds if there are any
        case iso8601
        /// Seconds since 1970, with a fraction if there is one
        case seconds
        /// Milliseconds since 1970, without a fraction
        case milliseconds
        /// As a function of yours writes them, not encoded yet
        case custom(@Sendable (Date) -> String)
    }

    /// How nil is written.
    public enum Nulls: Sendable {
        /// Not at all
        case skipped
        /// `a=`
        case empty
        /// `a`
        case nameOnly
        /// `a=null`
        case word
    }

    /// How a space is written in a URL. In a form it is always `+`.
    public enum Spaces: Sendable {
        /// `%20`, which every server understands
        case percent
        /// `+`
        case plus
    }

    /// In which order names are written.
    public enum Order: Sendable {
        /// As they were given
        case given
        /// By the bytes of their names; values of one name stay in their order
        case sorted
    }

    /// How the elements of a list are named.
    public var arrays = Arrays.repeated
    /// How names inside others are written.
    public var nesting = Nesting.brackets
    /// How true and false are written.
    public var booleans = Booleans.words
    /// How moments are written.
    public var dates = Dates.iso8601
    /// How nil is written.
    public var nulls = Nulls.skipped
    /// How a space is written in a URL.
    public var spaces = Spaces.percent
    /// In which order names are written.
    public var order = Order.given

    /// A style that writes `a=1&a=2`, `a[b]=1`, `true`, ISO 8601 dates, nothing for nil and `%20`, in the given order,
    /// but for what is said here.
    public init(
        arrays: Arrays = .repeated, nesting: Nesting = .brackets, booleans: Booleans = .words, dates: Dates = .iso8601,
        nulls: Nulls = .skipped, spaces: Spaces = .percent, order: Order = .given
    ) {
        self.arrays = arrays
        self.nesting = nesting
        self.booleans = booleans
        self.dates = dates
        self.nulls = nulls
        self.spaces = spaces
        self.order = order
    }
}

extension QueryStyle.Booleans {
    func text(_ value: Bool) -> String {
        switch self {
        case .words: value ? "true" : "false"
        case .digits: value ? "1" : "0"
        case .yesNo: value ? "yes" : "no"
        }
    }
}
