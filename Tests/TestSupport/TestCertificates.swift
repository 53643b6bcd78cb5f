import ChildProcesses
import Foundation
import TangoRequest

/// Certificates and keys that openssl made in a folder.
struct TestCertificates: Sendable {
    let folder: URL

    init(in folder: URL) throws {
        self.folder = folder
        guard let openssl = Nginx.program("openssl") else { throw ProgramFailed(description: "there is no openssl") }
        let process = try ChildProcess(
            command: ["/bin/sh", "-e", "-c", Self.script, openssl.path, folder.path],
            environment: ["PATH": "/usr/bin:/bin"])
        let said = process.lines()
        guard process.end() == 0 else {
            throw ProgramFailed(description: "openssl: \(said.joined(separator: "\n"))")
        }
    }

    func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    func data(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

    func source(_ name: String) -> CertificateSource { .file(url(name)) }

    /// The pin of a certificate, as openssl computes it.
    func pin(_ name: String) throws -> String {
        try String(contentsOf: url("\(name).pin"), encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static let script = #"""
        exec 2>&1
        cd "$1"
        names='DNS:right.test,DNS:localhost,DNS:*.up.localhost,IP:127.0.0.1'
        key() { "$0" ecparam -name prime256v1 -genkey -noout -out "$1.key"; }
        authority() {
            key "$1"
            "$0" req -x509 -new -key "$1.key" -subj "/CN=Tango $1" -days 30 -out "$1.pem"
        }
        # NAME AUTHORITY ALTERNATIVE-NAMES FROM UNTIL MORE-FIELDS
        certificate() {
            key "$1"
            "$0" req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
            mkdir -p "db-$1" && : >"db-$1/index" && echo 01 >"db-$1/serial"
            printf '%s\n' '[ca]' 'default_ca = all' '[all]' "database = db-$1/index" "serial = db-$1/serial" \
                "new_certs_dir = db-$1" 'default_md = sha256' 'policy = any' 'unique_subject = no' '[any]' \
                'commonName = supplied' '[more]' "subjectAltName = $3" "$6" >"$1.cnf"
            "$0" ca -batch -notext -config "$1.cnf" -extensions more -cert "$2.pem" -keyfile "$2.key" \
                -startdate "$4" -enddate "$5" -in "$1.csr" -out "$1.pem"
        }
        pin() {
            "$0" x509 -in "$1.pem" -pubkey -noout | "$0" pkey -pubin -outform DER |
                "$0" dgst -sha256 -binary | "$0" base64 >"$1.pin"
        }
        past=20200101000000Z now=$(date -u +%Y%m%d%H%M%SZ) future=20490101000000Z
        # The clocks of tests may differ by a little.
        authority authority
        authority other-authority
        certificate right authority "$names" "$past" "$future"
        certificate wrong-host authority DNS:elsewhere.test "$past" "$future"
        certificate expired authority "$names" "$past" 20200201000000Z
        certificate early authority "$names" 20480101000000Z "$future"
        certificate purpose authority "$names" "$past" "$future" 'extendedKeyUsage = clientAuth'
        certificate other other-authority "$names" "$past" "$future"
        certificate client authority DNS:client.test "$past" "$future"
        certificate other-client other-authority DNS:client.test "$past" "$future"
        key self-signed
        "$0" req -x509 -new -key self-signed.key -subj /CN=self-signed -addext "subjectAltName=$names" \
            -days 30 -out self-signed.pem
        "$0" req -x509 -newkey rsa:2048 -nodes -keyout rsa.key -subj /CN=rsa -days 30 -out rsa.pem
        for name in right other self-signed rsa; do pin "$name"; done
        "$0" pkcs8 -topk8 -in client.key -passout pass:secret -out client-locked.key
        "$0" ec -in client.key -aes256 -passout pass:secret -out client-traditional.key
        "$0" pkcs12 -export -in client.pem -inkey client.key -passout pass:secret -out client.p12
        "$0" x509 -in client.pem -outform DER -out client.der
        "$0" pkcs8 -topk8 -nocrypt -in client.key -outform DER -out client-key.der
        "$0" x509 -in authority.pem -outform DER -out authority.der
        """#
}
