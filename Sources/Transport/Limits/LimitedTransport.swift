/// A transport with limits of its own. Clients without another limiter use that of the transport, so that their calls wait
/// in the order in which they were started. Requests that are sent without a client wait in an ``AdmissionQueue``.
package protocol LimitedTransport: Transport {
    /// Nil without limits.
    var limiter: Limiter? { get }
}

extension Transport {
    /// The limiter for the limits of this transport; nil if it has none.
    package var limiter: Limiter? { (self as? any LimitedTransport)?.limiter }
}

extension Limiter {
    /// Creates a limiter for the limits of a transport; nil if it has none. A limit below one is one.
    package convenience init?(transport total: Int?, perHost: Int?) {
        guard total != nil || perHost != nil else { return nil }
        self.init(total: total.map { max($0, 1) }, perHost: perHost.map { max($0, 1) })
    }
}
