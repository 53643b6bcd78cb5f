extension ServerAddress {
    /// A Boolean value that indicates whether the host is this device, which needs no network.
    package var isThisDevice: Bool {
        let name = host.utf8.last == UInt8(ascii: ".") ? String(host.dropLast()) : host
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        guard let address = HostName.address(host) else { return false }
        return address.hasPrefix("127.") || ["::1", "::", "0.0.0.0"].contains(address)
    }
}
