/// The format of a ``Query``, with a setting for each difference between servers.
///
/// ```swift
/// var style = QueryStyle()
/// style.arrays = .brackets
/// style.booleans = .digits
/// #expect(try Query(["tags": ["a", "b"]]).encoded(style) == "tags%5B%5D=a&tags%5B%5D=b")
/// ```
///
/// Brackets are written `%5B` and `%5D`, because RFC 3986 does not allow them in a query. Servers decode them.
public struct QueryStyle: Sendable {
    /// The format of the elements of a list.
    public enum Arrays: Sendable {
        /// `a=1&a=2`
        case repeated
        /// `a[]=1&a[]=2`
        case brackets
        /// `a[0]=1&a[1]=2`
        case indexed
        /// `a=1,2`. A comma in an element is encoded. Inner lists are joined too. Inner names are an error.
        case commas
    }

    /// The format of nested names.
    public enum Nesting: Sendable {
        /// `a[b]=1`
        case brackets
        /// `a.b=1`
        case dots
    }

    /// The format of true and false.
    public enum Booleans: Sendable {
        /// `true` and `false`
        case words
        /// `1` and `0`
        case digits
        /// `yes` and `no`
        case yesNo
    }

    /// The format of dates.
    public enum Dates: Sendable {
        /// `2025-01-31T12:00:00Z`, in UTC, with milliseconds if there are any
        case iso8601
        /// Seconds since 1970, with a fraction if there is one
        case seconds
        /// Milliseconds since 1970, without a fraction
        case milliseconds
        /// The result of a function of yours, in plain form
        case custom(@Sendable (Date) -> String)
    }

    /// The format of nil.
    public enum Nulls: Sendable {
        /// The name and the value are left out
        case skipped
        /// `a=`
        case empty
        /// `a`
        case nameOnly
        /// `a=null`
        case word
    }

    /// The format of a space.
    public enum Spaces: Sendable {
        /// `%20` in a URL, which every server understands, and `+` in a form, as browsers send it
        case standard
        /// `%20`, also in a form
        case percent
        /// `+`, also in a URL
        case plus
    }

    /// The order of names.
    public enum Order: Sendable {
        /// The order in which they were added
        case given
        /// Sorted by the bytes of the names; values of one name stay in their order
        case sorted
    }

    /// The format of the names that the properties of Encodable values have.
    ///
    /// Names in literals and keys of dictionaries stay as they are written, as those of JSON bodies do.
    public enum Names: Sendable {
        /// `firstName`
        case given
        /// `first_name`, by the rule of `JSONEncoder.KeyEncodingStrategy.convertToSnakeCase`
        case snakeCase
        /// The result of a function of yours for each name, in plain form
        case custom(@Sendable (String) -> String)
    }

    /// The format of the elements of a list.
    public var arrays = Arrays.repeated
    /// The format of nested names.
    public var nesting = Nesting.brackets
    /// The format of true and false.
    public var booleans = Booleans.words
    /// The format of dates.
    public var dates = Dates.iso8601
    /// The format of nil.
    public var nulls = Nulls.skipped
    /// The format of a space.
    public var spaces = Spaces.standard
    /// The order of names.
    public var order = Order.given
    /// The format of the names that the properties of Encodable values have.
    public var names = Names.given

    /// Creates a style. By default it writes `a=1&a=2`, `a[b]=1`, `true`, ISO 8601 dates, nothing for nil, and `%20` in
    /// URLs, in the order in which names were added.
    public init(
        arrays: Arrays = .repeated, nesting: Nesting = .brackets, booleans: Booleans = .words, dates: Dates = .iso8601,
        nulls: Nulls = .skipped, spaces: Spaces = .standard, order: Order = .given, names: Names = .given
    ) {
        self.arrays = arrays
        self.nesting = nesting
        self.booleans = booleans
        self.dates = dates
        self.nulls = nulls
        self.spaces = spaces
        self.order = order
        self.names = names
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

extension QueryStyle.Names {
    func text(_ field: Query.Field) -> String {
        guard field.isProperty else { return field.name }
        return switch self {
        case .given: field.name
        case .snakeCase: SnakeCase.text(field.name)
        case .custom(let text): text(field.name)
        }
    }
}

extension QueryStyle.Spaces {
    func isPlus(inForm: Bool) -> Bool {
        switch self {
        case .standard: inForm
        case .percent: false
        case .plus: true
        }
    }
}

extension QueryStyle.Dates {
    /// Returns a date as text; nil outside the years 1 to 9999, because ISO 8601 cannot represent them.
    func text(_ date: Date) -> String? {
        if case .custom(let text) = self { return text(date) }
        guard let milliseconds = ISO8601.milliseconds(of: date) else { return nil }
        switch self {
        case .milliseconds:
            return String(milliseconds)
        case .seconds:
            return milliseconds % 1000 == 0 ? String(milliseconds / 1000) : String(Double(milliseconds) / 1000)
        case .iso8601, .custom:
            return ISO8601.text(milliseconds: milliseconds)
        }
    }
}
