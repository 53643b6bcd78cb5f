extension MIMEType {
    public static let json = MIMEType(valid: "application", "json")
    public static let form = MIMEType(valid: "application", "x-www-form-urlencoded")
    public static let octetStream = MIMEType(valid: "application", "octet-stream")
    public static let pdf = MIMEType(valid: "application", "pdf")
    public static let zip = MIMEType(valid: "application", "zip")
    /// `text/plain; charset=utf-8`
    public static let text = MIMEType(valid: "text", "plain").with("charset", "utf-8")
    public static let html = MIMEType(valid: "text", "html")
    public static let csv = MIMEType(valid: "text", "csv")
    public static let xml = MIMEType(valid: "application", "xml")
    public static let png = MIMEType(valid: "image", "png")
    public static let jpeg = MIMEType(valid: "image", "jpeg")
    public static let gif = MIMEType(valid: "image", "gif")
    public static let webp = MIMEType(valid: "image", "webp")
    public static let svg = MIMEType(valid: "image", "svg+xml")
    public static let mp4 = MIMEType(valid: "video", "mp4")
    /// `*/*`, which every type matches.
    public static let any = MIMEType(valid: "*", "*")

    /// Creates the type for a file extension; nil if the extension is not a common one.
    ///
    /// - Parameter fileExtension: `png`, `.png` or `PNG`.
    public init?(fileExtension: String) {
        let name = fileExtension.lowercased()
        guard let type = Self.types[name.hasPrefix(".") ? String(name.dropFirst()) : name] else { return nil }
        self = type
    }

    /// Creates the type for a file name; nil if its extension is not a common one.
    ///
    /// - Parameter fileName: The name, or a path.
    public init?(fileName: String) {
        let name = fileName.utf8.split(separator: UInt8(ascii: "/")).last ?? ""[...].utf8
        guard let dot = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        self.init(fileExtension: String(Substring(name[dot...])))
    }

    private static let types: [String: MIMEType] = {
        var types: [String: MIMEType] = [:]
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let first = words.first, let type = MIMEType(parsing: first) else { continue }
            for word in words.dropFirst() { types[String(word)] = type }
        }
        return types
    }()

    /// The types with their file extensions.
    private static let table = """
        application/atom+xml atom
        application/epub+zip epub
        application/geo+json geojson
        application/gzip gz gzip tgz
        application/java-archive jar
        application/json json map
        application/jsonl jsonl ndjson
        application/ld+json jsonld
        application/manifest+json webmanifest
        application/mbox mbox
        application/msword doc dot
        application/octet-stream bin dat exe dll dmg img iso deb so
        application/ogg ogx
        application/pdf pdf
        application/pgp-encrypted pgp
        application/pgp-signature sig asc
        application/pkcs10 p10 csr
        application/pkcs7-mime p7m p7c
        application/pkix-cert cer
        application/postscript ps eps ai
        application/rss+xml rss
        application/rtf rtf
        application/sql sql
        application/toml toml
        application/vnd.amazon.ebook azw
        application/vnd.android.package-archive apk
        application/vnd.apple.installer+xml mpkg
        application/vnd.apple.keynote key
        application/vnd.apple.mpegurl m3u8
        application/vnd.apple.numbers numbers
        application/vnd.apple.pages pages
        application/vnd.apple.pkpass pkpass
        application/vnd.google-earth.kml+xml kml
        application/vnd.google-earth.kmz kmz
        application/vnd.ms-excel xls xlt
        application/vnd.ms-fontobject eot
        application/vnd.ms-outlook msg
        application/vnd.ms-powerpoint ppt pps
        application/vnd.oasis.opendocument.presentation odp
        application/vnd.oasis.opendocument.spreadsheet ods
        application/vnd.oasis.opendocument.text odt
        application/vnd.openxmlformats-officedocument.presentationml.presentation pptx
        application/vnd.openxmlformats-officedocument.spreadsheetml.sheet xlsx
        application/vnd.openxmlformats-officedocument.wordprocessingml.document docx
        application/vnd.rar rar
        application/vnd.sqlite3 sqlite sqlite3 db
        application/vnd.visio vsd
        application/wasm wasm
        application/x-7z-compressed 7z
        application/x-bzip bz
        application/x-bzip2 bz2
        application/x-pem-file pem
        application/x-pkcs12 p12 pfx
        application/x-plist plist
        application/x-sh sh
        application/x-shockwave-flash swf
        application/x-tar tar
        application/x-x509-ca-cert crt der
        application/x-xz xz
        application/xhtml+xml xhtml xht
        application/xml xml xsl xsd
        application/yaml yaml yml
        application/zip zip
        application/zstd zst
        audio/3gpp2 3ga
        audio/aac aac
        audio/ac3 ac3
        audio/aiff aif aiff aifc
        audio/amr amr
        audio/basic au snd
        audio/flac flac
        audio/midi mid midi
        audio/mp4 m4a m4b m4p
        audio/mpeg mp3 mp2 mpga
        audio/ogg ogg oga
        audio/opus opus
        audio/wav wav
        audio/webm weba
        audio/x-caf caf
        audio/x-matroska mka
        audio/x-ms-wma wma
        audio/x-mpegurl m3u
        font/collection ttc
        font/otf otf
        font/ttf ttf
        font/woff woff
        font/woff2 woff2
        image/apng apng
        image/avif avif
        image/bmp bmp dib
        image/gif gif
        image/heic heic
        image/heic-sequence heics
        image/heif heif
        image/jp2 jp2
        image/jpeg jpg jpeg jpe jfif
        image/jxl jxl
        image/png png
        image/svg+xml svg
        image/tiff tif tiff
        image/vnd.adobe.photoshop psd
        image/vnd.microsoft.icon ico cur
        image/webp webp
        image/x-adobe-dng dng
        image/x-canon-cr2 cr2
        image/x-nikon-nef nef
        image/x-portable-pixmap ppm
        image/x-sony-arw arw
        image/x-tga tga
        message/rfc822 eml
        model/gltf+json gltf
        model/gltf-binary glb
        model/obj obj
        model/stl stl
        model/vnd.usdz+zip usdz
        multipart/related mht mhtml
        text/calendar ics ifb
        text/css css
        text/csv csv
        text/html html htm
        text/javascript js mjs cjs
        text/markdown md markdown
        text/plain txt text log conf ini
        text/tab-separated-values tsv
        text/vcard vcf vcard
        text/vtt vtt
        text/x-diff diff patch
        text/x-swift swift
        video/3gpp 3gp
        video/3gpp2 3g2
        video/matroska mkv
        video/mp2t ts m2ts mts
        video/mp4 mp4 m4v mp4v
        video/mpeg mpeg mpg mpe
        video/ogg ogv
        video/quicktime mov qt
        video/webm webm
        video/x-flv flv
        video/x-ms-wmv wmv
        video/x-msvideo avi
        """
}
