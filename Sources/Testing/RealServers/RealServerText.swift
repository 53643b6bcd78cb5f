/// The text of a request that ``RealServers`` refuses: what was wrong, and what to do.
struct RealServerText {
    let host: String
    /// The stub of a mock that matches the request.
    let stub: MockStub?
    let mistakes: [String]

    var detail: String {
        let advice =
            if let stub {
                "a mock has the stub \(stub.name) (\(stub.place)) for it, but its client has another transport: pass the "
                    + "client of the test to the code that sends the request, because handlers do not inherit task-local values"
            } else {
                "give its client a MockTransport with a stub for the request"
            }
        return "RealServers.refuse() forbids requests to the real server \(host): \(advice), or allow the host with "
            + "RealServers.refuse(except: \(host.debugDescription))" + mistakes.map { "; in except, \($0)" }.joined()
    }
}
