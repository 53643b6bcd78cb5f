import Foundation

#if os(iOS) || os(Linux)
    let isPhone = true
#elseif os(macOS) && !canImport(Glibc)
    let isPhone: Bool = "no"  // error: cannot convert value of type 'String' to specified type 'Bool'
#endif
